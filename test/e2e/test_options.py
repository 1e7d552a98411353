# SPDX-License-Identifier: Apache-2.0
"""Options that other tests do not see at work: the flat ones of old, what follows a run, python's own, replay's."""
import json
import os
import re
import signal
import subprocess

import harness
import pytest
from harness import SCALENE, SPIN, execute, newest_here


@pytest.fixture
def busy(tmp_path):
    (tmp_path / "busy.py").write_text(harness.busy('"done", sys.argv[1:]'))
    return tmp_path


def environment(**more):
    """The newest Python of this machine is the one in the PATH."""
    env = dict(os.environ, PATH=f"{os.path.dirname(newest_here().path)}:{os.environ['PATH']}", **more)
    return {name: value for name, value in env.items() if name not in ("VIRTUAL_ENV", "DISPLAY", "BROWSER")}


def scalene(folder, *arguments, stdin=None, **env):
    return execute([SCALENE, *arguments], cwd=folder, env=environment(**env), stdin=stdin)


# ---- what follows a run; each also without the word run, as it once was typed ----


@pytest.mark.sees("run html", "run outfile")
@pytest.mark.parametrize("command", [["run"], []], ids=["run", "flat"])
def test_html_writes_a_page_beside_the_profile(busy, command):
    result = scalene(busy, *command, "--html", "--outfile", "mine.html", "busy.py", "--html")
    assert result.status == 0, result.stderr
    assert result.stdout.startswith("done ['--html']\n"), "what follows the program is its own"
    assert "busy.py" in json.loads((busy / "mine.json").read_text())["program"]
    assert "total += i * i % 7" in (busy / "mine.html").read_text()


@pytest.mark.sees("run cli", "run column-width")
@pytest.mark.parametrize("command", [["run"], []], ids=["run", "flat"])
def test_cli_shows_the_profile_in_the_given_width(busy, command):
    result = scalene(busy, *command, "--cli", "--column-width", "60", "busy.py")
    assert result.status == 0 and "total += i * i" in result.stdout, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 60
    assert (busy / "scalene-profile.json").exists()


@pytest.mark.sees("run json")
def test_json_only_writes(busy):
    result = scalene(busy, "--json", "--no-browser", "--reduced-profile", "busy.py")
    assert result.stdout == "done []\n" and "profile saved to scalene-profile.json" in result.stderr
    lines = json.loads((busy / "scalene-profile.json").read_text())["files"][str(busy / "busy.py")]["lines"]
    assert 0 < len(lines) < SPIN.count("\n"), "--reduced-profile: only lines with activity"


@pytest.mark.sees("run web", "run viewer", "run no-browser")
@pytest.mark.parametrize("options, said", [
    (["--web", "--no-browser"], "waits for the page to be opened"), (["--viewer"], "shown in the browser")])
def test_web_serves_the_page_when_the_program_has_ended(busy, options, said):
    """`true` is the browser that would be opened."""
    command = [str(SCALENE), "run", *options, "busy.py"]
    env = {**environment(), "BROWSER": "true"}
    with subprocess.Popen(command, cwd=busy, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "done []\n"
            address = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\w+/", address)
            assert said in process.stderr.readline()
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
    assert (busy / "scalene-profile.json").exists()


def test_flat_form_with_options_of_run(busy):
    result = scalene(busy, "--cpu-only", "--use-virtual-time", "--malloc-threshold=5", "-o", "x.json", "busy.py")
    assert result.status == 0 and (busy / "x.json").exists(), result.stderr


# ---- options that change what the program sees, or nothing ----


@pytest.mark.sees("run use-legacy-tracer", "run use-python-callback", "run ipython", "run port", "run pid", "run no-async")
def test_accepted_without_a_word(busy):
    options = ["--use-legacy-tracer", "--use-python-callback", "--ipython", "--port=5", "--port", "6", "--pid=7",
               "--memory-leak-detector", "--stacks", "--on", "--no-async"]
    result = scalene(busy, "run", *options, "busy.py")
    assert result.status == 0 and result.stdout == "done []\n"
    assert result.stderr.startswith("\nScalene: profile saved"), result.stderr


def test_disable_jit_leaves_what_is_set(busy):
    (busy / "jit.py").write_text("import os; print(os.environ['JAX_DISABLE_JIT'], os.environ['PYTORCH_JIT'])")
    assert scalene(busy, "run", "--disable-jit", "jit.py", PYTORCH_JIT="x").stdout == "1 x\n"


# A script whose first line only -x makes harmless; then what the flags have made of the interpreter.
TELL = """\
this is no Python
import sys
print(sys.flags, sys.warnoptions, sorted(sys._xoptions), sys.stdout.write_through, __debug__)
"""
FLAGS = [["-bBdOqRsSuvx", "-Werror", "-X", "dev"], ["-bb", "-E", "-ix", "-OO", "-W", "ignore", "-Xutf8"], ["-I", "-x"],
         ["-P", "-x"]]


@pytest.mark.sees(*(f"run -{letter}" for letter in "bBdEiIOPqRsSuvxWX"))
@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
def test_flags_of_python_reach_it(tmp_path, flags):
    (tmp_path / "tell.py").write_text(TELL)
    python = newest_here()
    assert python.version >= (3, 11), "the first that knows -P"
    # -B and -u would change nothing where variables say the same, -R only changes what this one says.
    env = {name: value for name, value in environment().items() if not name.startswith("PYTHON")}
    env["PYTHONHASHSEED"] = "0"
    bare = execute([python.path, *flags, "tell.py"], cwd=tmp_path, env=env, stdin="print('asked')\n")
    seen = execute([SCALENE, "run", "--cpu-only", *flags, "tell.py"], cwd=tmp_path, env=env, stdin="print('asked')\n")
    assert bare.status == 0 and seen.stdout == bare.stdout, seen.stderr
    assert seen.stdout.endswith("asked\n") == ("-ix" in flags)


@pytest.mark.sees("run -m", "run -c")
def test_modules_and_strings_are_run_as_python_does(tmp_path):
    (tmp_path / "mod.py").write_text("import sys; print(__name__, sys.argv[1:])")
    assert scalene(tmp_path, "run", "-m", "mod", "-x").stdout == "__main__ ['-x']\n"
    assert scalene(tmp_path, "run", "-c", "import sys; print(sys.argv)", "-x").stdout == "['-c', '-x']\n"


# ---- the pace of samples ----

OLD_AND_YOUNG = """
import threading, time
def burn(seconds):
    while time.thread_time() < seconds:
        sum(i * i for i in range(1000))
burn(6)
thread = threading.Thread(target=burn, args=(0.6,))
thread.start(); thread.join()
"""


def samples_per_s(folder, *options):
    """Of a main thread that has run for long, and of a thread that it starts then; without bursts, by CPU time."""
    (folder / "threads.py").write_text(OLD_AND_YOUNG)
    result = scalene(folder, "run", "--use-virtual-time", "--cpu-only", *options, "threads.py")
    assert result.status == 0, result.stderr
    threads = json.loads((folder / "scalene-profile.json").read_text())["scalene"]["processes"][0]["threads"]
    assert len(threads) == 2
    pace = {thread["main"]: thread["samples"] / thread["cpu_seconds"] for thread in threads}
    return pace[True], pace[False]


@pytest.mark.sees("run cpu-sampling-rate")
def test_threads_that_run_for_long_are_sampled_less_often(tmp_path):
    asked_old, asked_young = samples_per_s(tmp_path, "--cpu-sampling-rate", "0.002")
    assert asked_old == pytest.approx(asked_young, rel=0.15), "whoever asks for a rate gets it all the time"
    old, young = samples_per_s(tmp_path)
    assert young == pytest.approx(asked_young, rel=0.15), "a thread begins young, however old the program is"
    # 768 samples, then one every 9 ms, or at every tick of a kernel that ticks less often.
    later = min(asked_old, 1 / 0.009)
    usual = (768 + (6 - 768 / asked_old) * later) / 6
    assert old == pytest.approx(usual, rel=0.15)


# ---- replay: the same recording, looked at in other ways ----


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Of a program with a file of its own, one elsewhere and one that looks installed; 20 MB by 20 blocks."""
    folder = tmp_path_factory.mktemp("recording")
    installed = folder / "here/lib/python3.99/site-packages"
    for place, name in ((folder / "here", "own"), (folder / "there", "other"), (installed, "installed")):
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}.py").write_text(SPIN)
    (folder / "here/main.py").write_text(
        f"import sys; sys.path += [{str(folder / 'there')!r}, {str(installed)!r}]\n"
        "import own, other, installed\n"
        "for module in (own, other, installed): module.spin(1_500_000)\n"
        "kept = [bytes(1 << 20) for _ in range(20)]\n")
    done = scalene(folder, "run", "--record", "run.rec", "here/main.py")
    assert done.status == 0, done.stderr
    return folder / "run.rec"


def replayed(recording, tmp_path, *options):
    result = execute([SCALENE, "replay", "-o", "out.json", *options, recording], cwd=tmp_path)
    assert result.status == 0, result.stderr
    profile = json.loads((tmp_path / "out.json").read_text())
    return {os.path.basename(path) for path in profile["files"]}, profile


@pytest.mark.sees(*(f"replay {name}" for name in (
    "outfile", "profile-all", "profile-only", "profile-exclude", "profile-system-libraries", "program-path", "stacks",
    "no-stacks", "cpu-percent-threshold", "malloc-threshold", "reduced-profile", "cells")))
def test_a_recording_is_looked_at_in_other_ways(recording, tmp_path):
    files, usual = replayed(recording, tmp_path)
    assert files == {"main.py", "own.py"} and usual["stacks"]
    assert replayed(recording, tmp_path, "--profile-all")[0] >= {"own.py", "other.py", "installed.py"}
    assert replayed(recording, tmp_path, "--profile-only=own")[0] == {"own.py"}
    assert replayed(recording, tmp_path, "--profile-exclude", "own")[0] == {"main.py"}
    assert "installed.py" in replayed(recording, tmp_path, "--profile-system-libraries")[0]
    assert "other.py" in replayed(recording, tmp_path, "--program-path", recording.parent)[0]
    assert replayed(recording, tmp_path, "--cpu-percent-threshold=99", "--malloc-threshold=1e9")[0] == set()
    assert "main.py" in replayed(recording, tmp_path, "--cpu-percent-threshold=99", "--malloc-threshold=5")[0]
    assert not replayed(recording, tmp_path, "--no-stacks")[1]["stacks"]
    assert replayed(recording, tmp_path, "--no-stacks", "--stacks")[1]["stacks"], "the last one counts"
    few = replayed(recording, tmp_path, "--reduced-profile")[1]["files"][str(recording.parent / "here/own.py")]["lines"]
    assert 0 < len(few) < SPIN.count("\n")
    (tmp_path / "cells").write_text(f"{recording.parent}/here/own.py\t[7]\t{recording.parent}/here/own.py\n")
    assert "[7]" in replayed(recording, tmp_path, "--cells", "cells")[0]
    assert execute([SCALENE, "replay", "--outfile", "other.html", recording], cwd=tmp_path).status == 0
    assert (tmp_path / "other.json").exists() and not (tmp_path / "other.html").exists()
