# SPDX-License-Identifier: Apache-2.0
"""Options from files and the environment: every key has its effect, nearer layers win, mistakes are named."""
import json
import os

import pytest
from harness import SCALENE, execute, interpreters, thread_seconds

SPIN = """\
def spin(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total
"""
# Works in a file of its own, in one elsewhere, in one that looks installed; sleeps, allocates, tells.
MAIN = """\
import os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.dirname(here) + "/there", here + "/lib/python3.99/site-packages"]
import own, other, installed
for module in (own, other, installed):
    module.spin(1_500_000)
time.sleep(0.15)
kept = own.keep()
print(os.environ.get("JAX_DISABLE_JIT"), os.path.exists(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def python():
    return [i for i in interpreters() if i.place == "here"][-1]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    installed = folder / "here/lib/python3.99/site-packages"
    installed.mkdir(parents=True)
    (folder / "there").mkdir()
    (folder / "here/own.py").write_text(SPIN + "def keep():\n    import store\n    return store.make()\n")
    (folder / "here/store.py").write_text("def make():\n    return [bytes(1 << 20) for _ in range(40)]\n")
    (folder / "there/other.py").write_text(SPIN)
    (installed / "installed.py").write_text(SPIN)
    (folder / "here/main.py").write_text(MAIN)
    return folder / "here"


class Seen:
    """What a run left: its profile, what it and the program said."""

    def __init__(self, result, path):
        self.status, self.stderr, self.path = result.status, result.stderr, path
        self.jit, self.was_there = (result.stdout.split() + ["", ""])[:2]
        self.profile = json.loads(path.read_text()) if path.exists() else {}
        self.files = {os.path.basename(name) for name in self.profile.get("files", {})}


def run(python, project, folder, *options, text=None, env=None, name="settings.yaml", out="out.json"):
    """scalene run in an empty folder, with `text` as its configuration."""
    if text is not None:
        (folder / name).write_text(text)
        options = ("-c", name, *options) if name.endswith(".yaml") else options
    if out:
        options = ("-o", out, *options)
    command = [SCALENE, "run", "--python", python.path, *options, project / "main.py", folder / "out.json"]
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
    assert usual.profile["scalene"]["idle_seconds"] > 0.1


# The key, its value, and what a run shows when it was heeded; u is the run without it.
EFFECTS = [
    ("cpu-only", "true", lambda s, u: not s.profile["memory"]),
    ("memory", "true", lambda s, u: s.profile["memory"]),
    ("memory", "false", lambda s, u: u.profile["memory"] and not s.profile["memory"]),
    ("gpu", "true", lambda s, u: "--gpu has no effect yet" in s.stderr and not s.profile["memory"]),
    ("profile-all", "true", lambda s, u: s.files >= {"own.py", "other.py", "installed.py"}),
    ("profile-only", "own", lambda s, u: s.files == {"own.py"}),
    ("profile-only", "[own, ma]", lambda s, u: s.files == {"own.py", "main.py"}),
    ("profile-exclude", "own", lambda s, u: "own.py" not in s.files and "main.py" in s.files),
    ("profile-system-libraries", "true", lambda s, u: "installed.py" in s.files),
    ("program-path", "..", lambda s, u: "other.py" in s.files),
    ("stacks", "false", lambda s, u: not s.profile["stacks"]),
    ("profile-interval", "0.05", lambda s, u: s.was_there == "True"),
    ("use-virtual-time", "true", lambda s, u: s.profile["scalene"]["idle_seconds"] == 0),
    ("cpu-percent-threshold", "99\ncpu-only: true", lambda s, u: not s.files),
    ("cpu-sampling-rate", "0.1", lambda s, u: samples_per_s(s) < 12 and samples_per_s(u) > 60),
    ("disable-jit", "true", lambda s, u: s.jit == "1"),
    ("reduced-profile", "true", lambda s, u: n_lines(s) < n_lines(u) / 2),
    ("on", "true", lambda s, u: s.profile["scalene"]["samples"] > 0),
    ("off", "true", lambda s, u: not s.files),
]


def samples_per_s(seen) -> float:
    """Of CPU time; the one a thread ends with may come early."""
    return (seen.profile["scalene"]["samples"] - 1) / thread_seconds(seen.profile)


def n_lines(seen) -> int:
    return sum(len(file["lines"]) for file in seen.profile["files"].values())


@pytest.mark.parametrize("key, value, has_effect", EFFECTS, ids=[f"{k}={v}" for k, v, _ in EFFECTS])
def test_every_key_of_a_yaml_file_takes_effect(python, project, usual, tmp_path, key, value, has_effect):
    if key == "program-path":
        value = str(project.parent)
    seen = run(python, project, tmp_path, text=f"{key.replace('-', '_')}: {value}\n")
    assert seen.status == 0, seen.stderr
    assert has_effect(seen, usual), (seen.files, seen.stderr)


def test_keys_of_memory(python, project, tmp_path):
    """What concerns memory needs it measured: one big file that costs hardly any time."""
    only = "memory: true\ncpu-percent-threshold: 99\n"
    base = run(python, project, tmp_path, text=only)
    assert "store.py" in base.files, base.stderr
    few = run(python, project, tmp_path, text=only + "allocation-sampling-window: 1073741824\n")
    assert few.profile["alloc_samples"] < base.profile["alloc_samples"]
    assert run(python, project, tmp_path, text=only + "malloc-threshold: 1000000000\n").files == set()
    assert run(python, project, tmp_path, text=only + "malloc-threshold: 20\n").files >= {"store.py"}


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


def test_command_line_before_environment_before_file(python, project, tmp_path):
    text = "profile-only: own\nstacks: false\noff: true\n"
    env = {"SCALENE_PROFILE_ONLY": "main", "SCALENE_STACKS": "1", "SCALENE_OFF": "0"}
    seen = run(python, project, tmp_path, text=text, env=env)
    assert seen.files == {"main.py"} and seen.profile["stacks"], seen.stderr
    seen = run(python, project, tmp_path, "--profile-only=own", "--no-stacks", text=text, env=env)
    assert seen.files == {"own.py"} and not seen.profile["stacks"]
    assert run(python, project, tmp_path, "--on", text=text).files == {"own.py"}


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
