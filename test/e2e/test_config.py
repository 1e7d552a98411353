# SPDX-License-Identifier: Apache-2.0
"""Options of run, typed, from files and from the environment: each has its effect, nearer layers win, mistakes are named."""
import json
import os

import pytest
from harness import SCALENE, SPIN, execute, interpreters, newest_here, thread_seconds

# Works in a file of its own, in one elsewhere, in one that looks installed; sleeps, allocates, tells.
MAIN = """\
import os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.dirname(here) + "/there", here + "/lib/python3.99/site-packages"]
import own, other, installed, few
for module in (own, other, installed):
    module.spin(1_500_000)
time.sleep(0.15)
kept = own.keep()
print(os.environ.get("JAX_DISABLE_JIT"), os.path.exists(sys.argv[1]), sys.version_info[1])
"""


@pytest.fixture(scope="module")
def python():
    return newest_here()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    installed = folder / "here/lib/python3.99/site-packages"
    installed.mkdir(parents=True)
    (folder / "there").mkdir()
    (folder / "here/own.py").write_text(SPIN + "def keep():\n    import store\n    return store.make()\n")
    (folder / "here/store.py").write_text("def make():\n    return [bytes(1 << 20) for _ in range(40)]\n")
    (folder / "here/few.py").write_text("kept = [bytes(20_000) for _ in range(30)]\n")  # less than 1 MB
    (folder / "there/other.py").write_text(SPIN)
    (installed / "installed.py").write_text(SPIN)
    (folder / "here/main.py").write_text(MAIN)
    return folder / "here"


class Seen:
    """What a run left: its profile, what it and the program said."""

    def __init__(self, result, path):
        self.status, self.stdout, self.stderr, self.path = result.status, result.stdout, result.stderr, path
        self.jit, self.was_there, self.minor = (result.stdout.split() + [""] * 3)[:3]
        self.profile = json.loads(path.read_text()) if path.exists() else {}
        self.files = {os.path.basename(name) for name in self.profile.get("files", {})}


def run(python, project, folder, *options, text=None, env=None, name="settings.yaml", out="out.json"):
    """scalene run in an empty folder, with `text` as its configuration."""
    if text is not None:
        (folder / name).write_text(text)
        options = ("-c", name, *options) if name.endswith(".yaml") else options
    if out:
        options = ("-o", out, *options)
    if python:
        options = ("--python", python.path, *options)
    command = [SCALENE, "run", *options, project / "main.py", folder / "out.json"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SCALENE_")}
    result = execute(command, cwd=folder, env=dict(clean, **(env or {})))
    return Seen(result, folder / (out or "out.json"))


@pytest.fixture(scope="module")
def usual(python, project, tmp_path_factory):
    """A run without any settings."""
    return run(python, project, tmp_path_factory.mktemp("usual"))


def test_without_settings(usual):
    """What the effects below are compared with."""
    assert usual.status == 0 and usual.files >= {"main.py", "own.py"}
    assert not usual.files & {"other.py", "installed.py"}
    assert usual.profile["stacks"] and (usual.jit, usual.was_there) == ("None", "False")
    assert waits(usual) and usual.profile["memory"]


# Groups of options that do not disturb each other: the value of each, and what a run shows when it was heeded;
# u is the run without any.
GROUPS = {
    "rare": {
        "profile-exclude": ("own", lambda s, u: "own.py" not in s.files and "main.py" in s.files),
        "stacks": (False, lambda s, u: not s.profile["stacks"]),
        "disable-jit": (True, lambda s, u: s.jit == "1"),
        "cpu-sampling-rate": (0.1, lambda s, u: samples_per_s(s) < 12 and samples_per_s(u) > 60),
        "on": (True, lambda s, u: s.profile["scalene"]["samples"] > 0),
    },
    "wide": {
        "profile-all": (True, lambda s, u: s.files >= {"own.py", "other.py", "installed.py"}),
        "cpu-only": (True, lambda s, u: u.profile["memory"] and not s.profile["memory"]),
        "profile-interval": (0.05, lambda s, u: s.was_there == "True"),
        "use-virtual-time": (True, lambda s, u: not waits(s) and waits(u)),
        "reduced-profile": (True, lambda s, u: 0 < n_lines(s, "own.py") < n_lines(u, "own.py")),
    },
    "libraries": {
        "profile-system-libraries": (True, lambda s, u: "installed.py" in s.files),
        "program-path": ("PARENT", lambda s, u: "other.py" in s.files),
        "memory": (True, lambda s, u: s.profile["memory"]),
        "stacks": (True, lambda s, u: s.profile["stacks"]),
        "gpu": (True, lambda s, u: "--gpu has no effect yet: " in s.stderr),
    },
    "gpu alone": {
        "gpu": (True, lambda s, u: not s.profile["memory"]),
        "profile-only": (["zebra", "own"], lambda s, u: s.files == {"own.py"} and "main.py" in u.files),
        "async": (True, lambda s, u: "--async has no effect yet: " in s.stderr),
        # Accepted for those who have them in their files and habits; nothing is to follow, nor to be said.
        "use-legacy-tracer": (True, lambda s, u: "tracer" not in s.stderr),
        "use-python-callback": (True, lambda s, u: "callback" not in s.stderr),
    },
    "off": {
        "off": (True, lambda s, u: not s.files and s.profile["scalene"]["samples"] == 0),
        "record": ("kept.rec", lambda s, u: (s.path.parent / "kept.rec").stat().st_size > 1000),
    },
    "low": {
        "cpu-percent-threshold": (99, lambda s, u: s.files),
        "malloc-threshold": (5, lambda s, u: "few.py" in s.files),
    },
    "high": {
        "cpu-percent-threshold": (99, lambda s, u: {"own.py", "main.py"} <= u.files and not s.files),
        "malloc-threshold": (1000000000, lambda s, u: "store.py" in u.files and not s.files),
        "allocation-sampling-window": (1 << 30, lambda s, u: 4 * s.profile["alloc_samples"] < u.profile["alloc_samples"]),
    },
}


def samples_per_s(seen) -> float:
    """Of CPU time; the one a thread ends with may come early."""
    return (seen.profile["scalene"]["samples"] - 1) / thread_seconds(seen.profile)


def waits(seen) -> bool:
    """Of threads that had no need of a CPU."""
    return bool(set(seen.profile["scalene"]["waits"]) - {"starved"})


def n_lines(seen, name) -> int:
    return sum(len(file["lines"]) for path, file in seen.profile["files"].items() if path.endswith(name))


def typed(name, value):
    """As it stands on the command line."""
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    return f"--{name}={','.join(value) if isinstance(value, list) else value}"


def layer_of(kind, settings):
    """What run() is to be given, so that the settings come from there."""
    if kind == "typed":
        return [typed(*setting) for setting in settings.items()], {}
    if kind == "file":
        return [], {"text": "".join(f"{name.replace('-', '_')}: {json.dumps(value)}\n" for name, value in settings.items())}
    variables = {f"SCALENE_{name.upper().replace('-', '_')}": typed("x", value).partition("=")[2] or str(value)
                 for name, value in settings.items()}
    return [], {"env": variables}


@pytest.mark.sees(*{f"{command} {name}" for group in GROUPS.values() for name in group for command in ("run", "key")})
@pytest.mark.parametrize("layer", ["typed", "file", "variables"])
@pytest.mark.parametrize("group", GROUPS)
def test_every_option_takes_effect_wherever_it_stands(python, project, usual, tmp_path, group, layer):
    values = {name: str(project.parent) if value == "PARENT" else value
              for name, (value, _) in GROUPS[group].items()}
    options, more = layer_of(layer, values)
    seen = run(python, project, tmp_path, *options, **more)
    assert seen.status == 0, seen.stderr
    without = [name for name, (_, has_effect) in GROUPS[group].items() if not has_effect(seen, usual)]
    assert not without, (seen.files, seen.stderr)


@pytest.mark.sees("key memory", "key async")
def test_what_is_switched_off_in_a_file_is_off_without_a_word(python, project, usual, tmp_path):
    seen = run(python, project, tmp_path, text="memory: false\nasync: false\ngpu: false\nprofile-only: own\n")
    assert usual.profile["memory"] and not seen.profile["memory"] and seen.files == {"own.py"}
    assert seen.stderr.startswith("\nScalene: profile saved to"), seen.stderr


LEAK = """\
import time
kept = []
def leak():
    kept.append(bytearray(300_000))
for i in range(120):
    leak()
    x = bytes(100_000)
    time.sleep(0.01)
"""


@pytest.mark.sees("key memory-leak-detector", "run memory-leak-detector", "replay memory-leak-detector")
def test_leaks_are_reported_unless_a_file_says_otherwise(scalene, python, tmp_path):
    (tmp_path / "leak.py").write_text(LEAK)
    (tmp_path / "no.yaml").write_text("memory-leak-detector: false\n")
    record = ["--record", tmp_path / "leak.rec"]
    with_it = scalene.run("leak.py", interpreter=python, options=["-c", "no.yaml", "--memory-leak-detector", *record],
                          cwd=tmp_path)
    without = scalene.run("leak.py", interpreter=python, options=["-c", "no.yaml"], cwd=tmp_path)
    again = tmp_path / "again.json"
    assert scalene("replay", "--memory-leak-detector", "-o", again, tmp_path / "leak.rec").status == 0
    leaks = [next(iter(profile["files"].values()))["leaks"]
             for profile in (with_it.profile, without.profile, json.loads(again.read_text()))]
    assert list(leaks[0]) == ["4"] and leaks[1] == {} and leaks[2] == leaks[0], leaks
    assert without.profile["memory"], "all else is measured"


@pytest.mark.sees("key python", "run python", "key column-width")
def test_python_and_width_in_a_file(python, project, tmp_path):
    other = next(i for i in interpreters() if i.place == "here" and i.version != python.version)
    text = f"python: {other.path}\ncolumn-width: 60\ncpu-only: true\n"
    seen = run(None, project, tmp_path, "--cli", text=text)
    assert seen.status == 0 and seen.minor == str(other.version[1]), seen.stderr
    assert "total += i * i" in seen.stdout and max(map(len, seen.stdout.splitlines())) <= 60


@pytest.mark.sees("key outfile", "key output")
@pytest.mark.parametrize("key", ["outfile", "output"])
def test_outfile_and_its_alias(python, project, tmp_path, key):
    seen = run(python, project, tmp_path, text=f"{key}: elsewhere.json\n", out=None)
    assert seen.status == 0 and (tmp_path / "elsewhere.json").exists()


def test_pyproject_of_a_folder_above(python, project, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\ndescription = """\n[tool.scalene]\nprofile-only = "nothing"\n"""\n'
        'lists = [["[tool.scalene]"],\n  [1]]\n'
        '[tool.scalene] # ours\nprofile-only = [\n  "own", # a comment, with ]\n  \'main\',\n]\nstacks = false\n'
        "[tool.other]\nprofile-all = 17\n")
    (tmp_path / "deep/er").mkdir(parents=True)
    seen = run(python, project, tmp_path / "deep/er")
    assert seen.status == 0, seen.stderr
    assert seen.files == {"own.py", "main.py"} and not seen.profile["stacks"]


@pytest.mark.sees("run on", "key on", "run stacks")
def test_command_line_before_environment_before_file(python, project, tmp_path):
    text = "profile-only: own\nstacks: false\noff: true\n"
    env = {"SCALENE_PROFILE_ONLY": "main", "SCALENE_STACKS": "1", "SCALENE_ON": "1"}
    seen = run(python, project, tmp_path, text=text, env=env)
    assert seen.files == {"main.py"} and seen.profile["stacks"], seen.stderr
    seen = run(python, project, tmp_path, "--profile-only=own", "--no-stacks", text=text, env=env)
    assert seen.files == {"own.py"} and not seen.profile["stacks"]
    assert run(python, project, tmp_path, text=text, env={"SCALENE_OFF": "0"}).files == {"own.py"}
    seen = run(python, project, tmp_path, "--on", "--stacks", text=text)
    assert seen.files == {"own.py"} and seen.profile["stacks"]


@pytest.mark.sees("run config", "run -c")
def test_an_explicit_file_replaces_the_project(python, project, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.scalene]\nprofile-only = 'main'\n")
    assert run(python, project, tmp_path, text="profile-only: own\n").files == {"own.py"}
    (tmp_path / "other.toml").write_text("[tool.scalene]\nprofile-only = 'own'\n")
    assert run(python, project, tmp_path, "--config", "other.toml").files == {"own.py"}
    assert run(python, project, tmp_path, env={"SCALENE_CONFIG": "other.toml"}).files == {"own.py"}


def test_unknown_key_is_named_with_the_nearest(python, project, tmp_path):
    seen = run(python, project, tmp_path, text="profle-all: true\nzebra: 1\nprofile-only: own\n")
    assert seen.status == 0 and seen.files == {"own.py"}
    said = [line for line in seen.stderr.splitlines() if "unknown config option" in line]
    assert len(said) == 2, "each once"
    assert "'profle-all' (ignored)" in said[0] and "settings.yaml:1" in said[0] and "'profile-all'?" in said[0]
    assert "'zebra' (ignored)" in said[1] and "did you mean" not in said[1]


def test_mistyped_variable_is_named_with_the_nearest(python, project, tmp_path):
    seen = run(python, project, tmp_path, env={"SCALENE_PROFLE_ALL": "1", "SCALENE_SOMETHING_ELSE": "1"})
    assert seen.status == 0 and "SCALENE_PROFILE_ALL?" in seen.stderr and "SOMETHING" not in seen.stderr


@pytest.mark.parametrize("name, text, said", [
    ("settings.yaml", "a: [1, 2\n", "invalid YAML in config file 'settings.yaml': line 2"),
    ("settings.yaml", "- a\n- b\n", "must be a mapping"),
    ("settings.yaml", "profile-all: perhaps\n", "settings.yaml:1: profile-all is true or false, not 'perhaps'"),
    ("settings.yaml", "x: 1\ncpu-sampling-rate: -1\n", "settings.yaml:2: --cpu-sampling-rate needs"),
    ("settings.yaml", "on: true\noff: true\n", "exclude each other"),
    ("settings.yaml", "profile-only: {a: b}\n", "needs one value or a list"),
    ("pyproject.toml", "[tool.scalene]\nprofile-all\n", "pyproject.toml:2: a line like"),
    ("pyproject.toml", "[tool.scalene]\noutfile = \"x\n", "a string does not end"),
    ("pyproject.toml", "[tool.scalene]\nprofile-only = ['x'\nstacks = 1\n", "an array does not end"),
    ("pyproject.toml", "[tool.scalene]\nstacks = true false\n", "something after the value"),
])
def test_bad_files_are_one_sentence(python, project, tmp_path, name, text, said):
    seen = run(python, project, tmp_path, text=text, name=name)
    assert seen.status == 1 and said in seen.stderr and not seen.path.exists()
    own = [line for line in seen.stderr.splitlines() if "unknown config option" not in line]
    assert len(own) == 1, seen.stderr


def test_missing_file_and_wrong_variable(python, project, tmp_path):
    seen = run(python, project, tmp_path, "-c", "none.yaml")
    assert seen.status == 1 and "config file 'none.yaml' not found" in seen.stderr
    seen = run(python, project, tmp_path, env={"SCALENE_ALLOCATION_SAMPLING_WINDOW": "0"})
    assert seen.status == 1 and "SCALENE_ALLOCATION_SAMPLING_WINDOW" in seen.stderr


def test_empty_files_say_nothing(python, project, tmp_path):
    for text in ("", "# nothing\n", "outfile:\nprofile-only: ~\n"):
        seen = run(python, project, tmp_path, text=text)
        assert seen.status == 0 and "own.py" in seen.files, seen.stderr
