# SPDX-License-Identifier: Apache-2.0
"""What people install: the wheel on every Python, the source distribution, the tarball, make install."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from harness import ROOT, busy, execute, lines

DIST = ROOT / "dist"
# `make packages`: every interpreter, an old Debian, and the source distribution built by pip.
IS_ALL = os.environ.get("SCALENE_PACKAGES") == "all"
some = pytest.mark.on("3.8", "3.13", "3.15") if not IS_ALL else lambda test: test
BUSY = busy("sys.prefix")


def newest(pattern: str) -> pathlib.Path:
    found = sorted(DIST.glob(pattern), key=lambda path: path.stat().st_mtime)
    assert found, f"dist/{pattern} is not there: run make wheel first"
    return found[-1]


@pytest.fixture(scope="session")
def wheel() -> pathlib.Path:
    return newest("scalene-*manylinux*.whl")


@pytest.fixture(scope="session")
def pip(tmp_path_factory) -> pathlib.Path:
    """A copy of this environment's pip that any interpreter can run, wherever it is."""
    import pip as installed
    folder = tmp_path_factory.mktemp("pip") / "pip"
    shutil.copytree(pathlib.Path(installed.__file__).parent, folder,
                    ignore=shutil.ignore_patterns("__pycache__"))
    return folder


class Environment:
    """An empty virtual environment and what is done in it."""

    def __init__(self, folder: pathlib.Path, interpreter, pip: pathlib.Path):
        self.folder, self.interpreter, self.pip_folder = folder, interpreter, pip
        made = self.execute(interpreter.path, "-m", "venv", "--without-pip", folder)
        assert made.status == 0, made.stderr

    def execute(self, *command, **more):
        env = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
        return execute([*self.interpreter.prefix, *command], env=env, **more)

    def pip(self, *arguments):
        """By the copied pip; what is older than it allows has one of its own."""
        bundled = sorted(pathlib.Path(self.interpreter.path).parent.parent.glob(
            "lib/python3.*/ensurepip/_bundled/pip-*.whl"))
        pip = self.pip_folder if self.interpreter.version >= (3, 9) else bundled[-1] / "pip"
        done = self.execute(self.folder / "bin/python", pip, *arguments,
                            "--disable-pip-version-check", "-q")
        assert done.status == 0, done.stderr
        return done

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*")
                      if p.suffix != ".pyc" and p.name != "__pycache__")


@some
def test_wheel_in_an_empty_environment(interpreter, wheel, pip, tmp_path):
    """Installed, run both ways, viewed; uninstalled, nothing is left."""
    env = Environment(tmp_path / "env", interpreter, pip)
    before = env.files()
    env.pip("install", "--no-index", wheel)
    program = tmp_path / "busy.py"
    program.write_text(BUSY)
    for name, command in (("a", ["bin/scalene"]), ("b", ["bin/python", "-m", "scalene"])):
        first, *rest = command
        result = env.execute(env.folder / first, *rest, "run", "-o", f"{name}.json", program, cwd=tmp_path)
        assert result.status == 0, result.stderr
        profile = json.loads((tmp_path / f"{name}.json").read_text())
        assert lines(profile, "busy.py")[5]["n_cpu_percent_python"] > 20
        # The environment's own Python was used, though nobody named it.
        assert result.stdout == f"{env.folder}\n"
    shown = env.execute(env.folder / "bin/scalene", "view", "--cli", "a.json", cwd=tmp_path)
    assert shown.status == 0 and "total += i * i % 7" in shown.stdout
    env.pip("uninstall", "-y", "scalene")
    assert env.files() == before


def test_wheel_is_small_and_for_every_python(wheel):
    assert wheel.stat().st_size < 3_000_000
    assert re.fullmatch(r"scalene-[\d.]+-py3-none-manylinux_2_17_x86_64\.manylinux2014_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert not [name for name in names if name.endswith(".so") and "data/libexec/" not in name]


def test_no_part_needs_a_newer_glibc_than_promised(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        binaries = [name for name in archive.namelist()
                    if name.endswith(".so") or name.endswith("scripts/scalene")]
        archive.extractall(tmp_path, binaries)
    assert len(binaries) >= 3
    for name in binaries:
        symbols = execute(["objdump", "-T", tmp_path / name]).stdout
        versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d[\d.]*)", symbols)}
        assert versions and max(versions) <= (2, 17), f"{name}: {max(versions)}"
        needed = re.findall(r"NEEDED\s+(\S+)", execute(["objdump", "-p", tmp_path / name]).stdout)
        assert {n.split(".")[0] for n in needed} <= {"libc", "libm", "libpthread", "libdl", "librt",
                                                     "ld-linux-x86-64"}, f"{name}: {needed}"


def test_targets_and_links(wheel, pip, tmp_path):
    """pip install --target, and a link to the program from elsewhere."""
    python = sys.executable
    target = tmp_path / "target"
    done = execute([python, pip, "install", "-q", "--no-index", "--target", target, wheel])
    assert done.status == 0, done.stderr
    (tmp_path / "busy.py").write_text(BUSY)
    env = dict(os.environ, PYTHONPATH=str(target))
    result = execute([python, "-m", "scalene", "run", "-o", "a.json", "busy.py"], env=env, cwd=tmp_path)
    assert result.status == 0, result.stderr
    (tmp_path / "link").symlink_to(target / "bin/scalene")
    result = execute([tmp_path / "link", "run", "-o", "b.json", "busy.py"], cwd=tmp_path)
    assert result.status == 0 and (tmp_path / "b.json").exists(), result.stderr


def test_source_distribution_is_whole():
    """What pip needs to build is in it: the libraries' sources too, nothing that was made here."""
    with tarfile.open(newest("scalene-*[0-9].tar.gz")) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    for needed in ("PKG-INFO", "pyproject.toml", "meson.build", "script/backend.py", "src/cli/main.c",
                   "python/scalene/__main__.py", "subprojects/jansson.wrap"):
        assert needed in names
    for wrap in (ROOT / "subprojects").glob("*.wrap"):
        source = re.search(r"source_filename = (\S+)", wrap.read_text()).group(1)
        assert f"subprojects/packagefiles/{source}" in names
    assert not [name for name in names if name.startswith(("build", "dist", ".git/"))]


def test_make_install_and_prefix(tmp_path):
    """What make install does; then moved: it finds its parts wherever it is."""
    done = execute([ROOT / "script/install", tmp_path / "stage/opt/x"])
    assert done.status == 0, done.stdout + done.stderr
    for part in ("bin/scalene", "lib/scalene/libscalene.so", "share/man/man1/scalene.1",
                 "share/bash-completion/completions/scalene.bash"):
        assert (tmp_path / "stage/opt/x" / part).exists(), part
    place = tmp_path / "elsewhere"
    (tmp_path / "stage/opt/x").rename(place)
    (tmp_path / "busy.py").write_text(BUSY)
    result = execute([place / "bin/scalene", "run", "-o", "a.json", "busy.py"], cwd=tmp_path)
    assert result.status == 0 and (tmp_path / "a.json").exists(), result.stderr


def test_tarball_runs_from_anywhere(tmp_path):
    made = execute([ROOT / "script/tarball", DIST])
    assert made.status == 0, made.stderr
    place = tmp_path / "any where"
    place.mkdir()
    with tarfile.open(made.stdout.strip()) as archive:
        archive.extractall(place)
    (tmp_path / "busy.py").write_text(BUSY)
    program = next(place.glob("*/bin/scalene"))
    result = execute([program, "run", "-o", "a.json", "busy.py"], cwd=tmp_path)
    assert result.status == 0 and (tmp_path / "a.json").exists(), result.stderr


def test_python_m_scalene_passes_everything_on(tmp_path):
    """Without an installation the clone's own build is found; status and arguments are scalene's."""
    env = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
    (tmp_path / "show.py").write_text("import sys; print(sys.argv[1:], sys.executable); sys.exit(7)")
    command = [sys.executable, "-m", "scalene", "run", "-o", "a.json", "show.py", "-x", "--python"]
    result = execute(command, env=env, cwd=tmp_path)
    assert result.status == 7
    assert result.stdout == f"['-x', '--python'] {os.path.abspath(sys.executable)}\n"
    version = execute([sys.executable, "-m", "scalene", "--version"], env=env)
    assert version.status == 0 and version.stdout.startswith("Scalene version ")


def test_one_version_everywhere(wheel):
    backend = subprocess.run([sys.executable, "-c", "import backend; print(backend.version())"], text=True,
                             cwd=ROOT / "script", stdout=subprocess.PIPE, check=True).stdout.strip()
    assert wheel.name.split("-")[1] == backend
    assert execute([ROOT / "build/scalene", "--version"]).stdout.split()[-1] == backend


if IS_ALL:
    def test_wheel_on_debian_11(wheel, pip, tmp_path):
        (tmp_path / "busy.py").write_text(BUSY)
        script = f"""
            python3 -m venv --without-pip env && env/bin/python {pip} install -q --no-index {wheel} &&
            env/bin/scalene run busy.py && env/bin/python -m scalene run -o m.json busy.py &&
            env/bin/scalene view --cli m.json && env/bin/python {pip} uninstall -q -y scalene &&
            find env -name '*scalene*'"""
        wheel_here = tmp_path / wheel.name
        shutil.copy(wheel, wheel_here)
        done = execute([ROOT / "script/old-debian", "sh", "-c", script], cwd=tmp_path)
        assert done.status == 0 and "total += i * i % 7" in done.stdout, done.stderr
        assert done.stdout.rstrip().splitlines()[-1].find("scalene") < 0, "nothing is left"

    # pip fetches meson, ninja and perhaps a compiler, and builds everything: on a busy machine that takes longer than
    # the five minutes that every other test has.
    @pytest.mark.timeout(2000)
    @pytest.mark.parametrize("has_compiler", [True, False], ids=["gcc", "no compiler"])
    def test_source_distribution_builds(pip, tmp_path, has_compiler):
        """By pip alone, which fetches meson and ninja, and a compiler where there is none."""
        tools = tmp_path / "tools"
        tools.mkdir()
        hidden = () if has_compiler else ("cc", "gcc", "clang", "c99", "pkg-config", "node", "npm")
        for folder in ("/bin", "/usr/bin"):
            for tool in pathlib.Path(folder).iterdir():
                if tool.name.split("-")[0] not in hidden and not (tools / tool.name).exists():
                    (tools / tool.name).symlink_to(tool)
        env = dict(os.environ, PATH=str(tools))
        env.pop("VIRTUAL_ENV", None)
        venv = tmp_path / "env"
        assert execute([sys.executable, "-m", "venv", venv], env=env).status == 0
        done = execute([venv / "bin/python", "-m", "pip", "install", "-q", newest("scalene-*[0-9].tar.gz")], env=env,
                       timeout=1800)
        assert done.status == 0, done.stdout + done.stderr
        (tmp_path / "busy.py").write_text(BUSY)
        result = execute([venv / "bin/scalene", "run", "-o", "a.json", "busy.py"], cwd=tmp_path, env=env)
        assert result.status == 0 and (tmp_path / "a.json").exists(), result.stderr
