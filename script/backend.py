# SPDX-License-Identifier: Apache-2.0
"""Builds what pip installs (PEP 517), by meson; run as a program, the wheel for any Linux.

    pip install .                      calls build_wheel: for this machine, by its own compiler
    script/backend.py FOLDER           the portable wheel: zig (PyPI's ziglang) for an old glibc

A wheel is what `meson install` installs under a prefix, put where pip looks for it:

    scalene-V.data/scripts/scalene     PREFIX/bin: the C program itself
    scalene-V.data/data/...            PREFIX/libexec: the agents; pip's --target loses what is put
                                       into PREFIX/lib, and its uninstall leaves folders behind in
                                       which no file lies directly
    scalene/                           site-packages: python/scalene, no compiled part
"""
import base64
import contextlib
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from typing import Dict, Iterator, List, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent
ZIG = "ziglang==0.13.0.post1"
# The oldest glibc that zig's headers and the agent's calls agree on; CentOS 7 has it.
GLIBC = "2.17"
# Built by others or fetched, in no commit, but needed where there is no network and no node.
CARRIED = ["subprojects/packagefiles/*.tar.gz", "view/dist/*"]
# One moment for all files: the same sources make the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


def has_compiler() -> bool:
    return any(shutil.which(name) for name in (os.environ.get("CC", "cc"), "gcc", "clang"))


def get_requires_for_build_wheel(config_settings: Optional[dict] = None) -> List[str]:
    """Where there is no compiler, one comes from PyPI."""
    return [] if has_compiler() else [ZIG]


def get_requires_for_build_sdist(config_settings: Optional[dict] = None) -> List[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Optional[dict] = None) -> str:
    """What pip asks for before it asks for the wheel: without this it would build twice."""
    folder = pathlib.Path(metadata_directory) / f"scalene-{version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata())
    (folder / "entry_points.txt").write_text(entry_points())
    return folder.name


def build_wheel(wheel_directory: str, config_settings: Optional[dict] = None,
                metadata_directory: Optional[str] = None) -> str:
    is_portable = not has_compiler()
    with tempfile.TemporaryDirectory() as folder:
        prefix = build(pathlib.Path(folder), is_portable)
        return pack(pathlib.Path(wheel_directory), prefix, tag(is_portable))


def build_portable_wheel(wheel_directory: str) -> str:
    """In a folder that stays, so that the next time only what has changed is built."""
    prefix = build(ROOT / "build-wheel", True)
    return pack(pathlib.Path(wheel_directory), prefix, tag(True))


def build_sdist(sdist_directory: str, config_settings: Optional[dict] = None) -> str:
    name = f"scalene-{version()}"
    path = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(sources()):
            archive.add(ROOT / file, f"{name}/{file}", recursive=False)
        add_text(archive, f"{name}/PKG-INFO", metadata())
    return path.name


# ---- building ----


def build(folder: pathlib.Path, is_portable: bool) -> pathlib.Path:
    """Builds and installs into a folder; the prefix in it."""
    folder.mkdir(exist_ok=True)
    setup = ["meson", "setup", str(folder / "build"), str(ROOT), "--prefix", "/usr",
             "-Dbuildtype=release", "-Dtests=false"]
    if not is_portable:
        setup += ["-Dstrip=true"]
    else:
        setup += ["--native-file", str(write_toolchain(folder)),
                  "--force-fallback-for", "jansson,yaml-0.1"]
    shutil.rmtree(folder / "root", ignore_errors=True)
    if not (folder / "build" / "build.ninja").exists():
        run(setup)
    run(["ninja", "-C", str(folder / "build")])
    run(["meson", "install", "-C", str(folder / "build"), "--no-rebuild", "--quiet",
         "--destdir", str(folder / "root")])
    return folder / "root" / "usr"


def write_toolchain(folder: pathlib.Path) -> pathlib.Path:
    """zig as meson's compiler: it brings headers and stubs of every glibc."""
    wanted = f"-target x86_64-linux-gnu.{GLIBC}"
    for name, more in (("cc", wanted), ("ar", "")):
        tool = folder / f"zig-{name}"
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {name} {more} "$@"\n')
        tool.chmod(0o755)
    file = folder / "zig.ini"
    file.write_text(f"[binaries]\nc = '{folder}/zig-cc'\nar = '{folder}/zig-ar'\n"
                    "[built-in options]\nc_link_args = ['-Wl,-s']\n")
    return file


def run(command: List[str]) -> None:
    """A step of the build: quiet when it works, its last words when it does not."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")


# ---- packing ----


def tag(is_portable: bool) -> str:
    if is_portable:
        return f"py3-none-manylinux_{GLIBC.replace('.', '_')}_x86_64.manylinux2014_x86_64"
    return f"py3-none-linux_{os.uname().machine}"


def pack(folder: pathlib.Path, prefix: pathlib.Path, wheel_tag: str) -> str:
    """Writes the wheel; its name."""
    name = f"scalene-{version()}"
    files: Dict[str, pathlib.Path] = {}
    for path in sorted(p for p in prefix.rglob("*") if p.is_file()):
        inside = path.relative_to(prefix).as_posix().replace("lib/scalene/", "libexec/")
        place = f"scripts/{path.name}" if inside.startswith("bin/") else f"data/{inside}"
        files[f"{name}.data/{place}"] = path
    for path in sorted((ROOT / "python/scalene").rglob("*.py")):
        files[path.relative_to(ROOT / "python").as_posix()] = path
    files[f"{name}.dist-info/licenses/LICENSE"] = ROOT / "LICENSE"
    # What lies directly in share/, so that uninstalling takes the folder away if all of it is ours.
    files[f"{name}.data/data/share/scalene-LICENSE"] = ROOT / "LICENSE"
    texts = {"METADATA": metadata(), "entry_points.txt": entry_points(),
             "WHEEL": f"Wheel-Version: 1.0\nGenerator: scalene\nRoot-Is-Purelib: false\n" +
                      "".join(f"Tag: {one}\n" for one in expanded(wheel_tag))}
    wheel = folder / f"{name}-{wheel_tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        record = [add(archive, inside, path.read_bytes(), path.stat().st_mode)
                  for inside, path in files.items()]
        record += [add(archive, f"{name}.dist-info/{inside}", text.encode(), 0o100644)
                   for inside, text in texts.items()]
        record.append(f"{name}.dist-info/RECORD,,")
        add(archive, f"{name}.dist-info/RECORD", "\n".join([*record, ""]).encode(), 0o100644)
    return wheel.name


def expanded(wheel_tag: str) -> Iterator[str]:
    """py3-none-a.b is two tags."""
    python, abi, platforms = wheel_tag.split("-")
    for platform in platforms.split("."):
        yield f"{python}-{abi}-{platform}"


def add(archive: zipfile.ZipFile, inside: str, data: bytes, mode: int) -> str:
    """Adds a file; its line of RECORD."""
    info = zipfile.ZipInfo(inside, EPOCH)
    info.external_attr = (mode & 0o177777) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{inside},sha256={digest},{len(data)}"


def add_text(archive: tarfile.TarFile, inside: str, text: str) -> None:
    info = tarfile.TarInfo(inside)
    info.size = len(text.encode())
    archive.addfile(info, io.BytesIO(text.encode()))


# ---- what the package says of itself ----


def version() -> str:
    """The one meson knows."""
    return re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(), re.M).group(1)


def project_field(name: str) -> str:
    """A line `name = "text"` of pyproject.toml: Python 3.8 cannot read TOML by itself."""
    return re.search(rf'^{name} = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M).group(1)


def metadata() -> str:
    text = (ROOT / "pyproject.toml").read_text()
    classifiers = re.findall(r'^    "(.* :: .*)",$', text, re.M)
    return "\n".join([
        "Metadata-Version: 2.1", "Name: scalene", f"Version: {version()}",
        f"Summary: {project_field('description')}", "License: Apache-2.0",
        f"Requires-Python: {project_field('requires-python')}",
        *[f"Classifier: {one}" for one in classifiers],
        "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()])


def entry_points() -> str:
    text = (ROOT / "pyproject.toml").read_text()
    groups = re.findall(r'^\[project\.entry-points\.([\w.]+)\]\n((?:\w+ = ".*"\n)+)', text, re.M)
    return "".join(f"[{group}]\n{lines}" for group, lines in groups).replace('"', "")


def sources() -> Iterator[str]:
    """The files of the source distribution: what git has, else (in one already unpacked) all."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        yield from (name for name in listed.decode().split("\0") if name and (ROOT / name).exists())
        for pattern in CARRIED:
            yield from (path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))
        return
    for path in ROOT.rglob("*"):
        inside = path.relative_to(ROOT).as_posix()
        is_made = re.match(r"\.git/|build|dist/|PKG-INFO$", inside) or "__pycache__" in inside
        if path.is_file() and not is_made:
            yield inside


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    print(target / build_portable_wheel(str(target)))
    print(target / build_sdist(str(target)))
