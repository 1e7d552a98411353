# SPDX-License-Identifier: Apache-2.0
"""The Python API: under scalene run, and in a plain Python that measures itself."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
from harness import PROGRAMS, ROOT, bare, execute, lines

ONE = "3.12"
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
HEAD = "from scalene import scalene_profiler\nimport time\n"
SPIN = ("def spin(seconds):\n"
        "    end = time.thread_time() + seconds\n"
        "    while time.thread_time() < end:\n"
        "        pass\n")


def plain(interpreter, tmp_path, code, **more):
    program = tmp_path / "program.py"
    program.write_text(HEAD + SPIN + code)
    return bare(interpreter, program, env=ENV, cwd=tmp_path, **more)


def test_plain_python_measures_itself_again_and_again(interpreter):
    result = bare(interpreter, PROGRAMS / "control/attached.py", "3", env=ENV)
    assert result.status == 0, result.stderr
    told = json.loads(result.stdout)
    for found in told["found"]:
        assert found["threads"] >= 3 and found["main"] and found["waits"] == "outside"
        assert found["cpu_low"] - 0.02 < found["cpu"] < found["cpu_high"]
        assert found["elapsed"] < found["wall"]
        allocated, _ = found["told"]["kept = [bytearray(200_000) for _ in range(100)]"]
        assert allocated == pytest.approx(100 * 200_000 / 2**20, rel=0.05)
        allocated, copied = found["told"]["bytearray(data)"]
        assert allocated == pytest.approx(100, rel=0.05) and copied == pytest.approx(100, rel=0.1)
    assert told["child"] is None and told["files"] == []


@pytest.mark.sees("run follow", "run end-path", "profile end")
@pytest.mark.on(ONE)
def test_profile_is_a_mapping_that_can_be_saved_and_shown(interpreter, tmp_path):
    result = plain(interpreter, tmp_path, (
        "with scalene_profiler.enable_profiling('--cpu-only') as profile:\n"
        "    spin(0.2)\n"
        "assert profile['elapsed_time_sec'] > 0.19 and 'files' in profile and len(profile) > 20\n"
        "(path, line), cost = next(iter(profile.lines.items()))\n"
        "assert path == __file__ and line in (5, 6) and path in profile.files, (path, line)\n"
        "assert not profile['memory'] and profile is not scalene_profiler.last()\n"
        "print(profile.save('here.json'))\n"
        "print(profile.hottest(1)[0][:2] == (path, line), repr(profile))\n"
        "profile.show()\n"))
    assert result.status == 0, result.stderr
    first, second, *table = result.stdout.splitlines()
    assert first == str(tmp_path / "here.json") and json.loads((tmp_path / "here.json").read_text())["files"]
    assert re.fullmatch(r"True <Profile of \S*program.py: [\d.]+ s, \d+ lines?>", second)
    assert any("while time.thread_time() < end" in row for row in table)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["here.json", "program.py"]


@pytest.mark.on(ONE)
def test_exception_ends_the_measuring_and_goes_on(interpreter, tmp_path):
    result = plain(interpreter, tmp_path, (
        "try:\n"
        "    with scalene_profiler.enable_profiling('--cpu-only'):\n"
        "        spin(0.1)\n"
        "        1 / 0\n"
        "except ZeroDivisionError:\n"
        "    print(scalene_profiler.is_profiling(), scalene_profiler.last()['scalene']['samples'] > 5)\n"))
    assert (result.status, result.stdout) == (0, "False True\n"), result.stderr


@pytest.mark.on(ONE)
@pytest.mark.parametrize("end, status", [("pass", 0), ("import os, signal; os.kill(os.getpid(), 9)", -9)])
def test_program_that_never_stops_has_its_profile_in_a_file(interpreter, tmp_path, end, status):
    result = plain(interpreter, tmp_path, f"scalene_profiler.start()\nspin(0.2)\n{end}\n")
    assert result.status == status
    path, deadline = tmp_path / "scalene-profile.json", time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)  # nobody waits for the collector of a program that was killed
    assert json.loads(path.read_text())["elapsed_time_sec"] > 0.15


@pytest.mark.on(ONE)
def test_start_and_stop_many_times_leaves_nothing(interpreter, tmp_path):
    result = plain(interpreter, tmp_path, (
        "import resource, os, threading\n"
        "def maps():\n"
        "    return sum(1 for line in open('/proc/self/maps'))\n"
        "for i in range(25):\n"
        "    scalene_profiler.start()\n"
        "    assert scalene_profiler.is_profiling()\n"
        "    x = [bytearray(1000) for _ in range(100)]\n"
        "    scalene_profiler.stop()\n"
        "    print(scalene_profiler._session._folder)\n"
        "    if i == 4:\n"
        "        n = maps()\n"
        "assert maps() - n <= 4, maps() - n\n"))
    assert result.status == 0, result.stderr
    folders, deadline = [pathlib.Path(line) for line in result.stdout.split()], time.monotonic() + 20
    while any(folder.exists() for folder in folders) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(folders) == 25 and not any(folder.exists() for folder in folders)
    assert [p.name for p in tmp_path.iterdir()] == ["program.py"]


@pytest.mark.on(ONE)
@pytest.mark.parametrize("moment", ["before", "while"])
def test_numpy_is_measured_whenever_it_is_loaded(interpreter, tmp_path, moment):
    program = tmp_path / "arrays.py"
    program.write_text(
        ("import numpy\n" if moment == "before" else "\n") +
        "from scalene import scalene_profiler\n"
        "scalene_profiler.start()\n"
        "import numpy\n"
        "ones = numpy.ones(5 << 17)\n"         # 5 MiB
        "both = numpy.concatenate([ones] * 8)\n"
        "profile = scalene_profiler.stop()\n"
        "line = profile.lines[__file__, 6]\n"
        "print(round(profile.lines[__file__, 5]['n_malloc_mb']), round(line['n_malloc_mb']),\n"
        "      round(line['n_copy_mb_s'] * profile['elapsed_time_sec']))\n")
    paths = os.pathsep.join([str(ROOT / "python"), interpreter.numpy])
    result = bare(interpreter, program, env={**os.environ, "PYTHONPATH": paths})
    assert (result.status, result.stdout) == (0, "5 40 40\n"), result.stderr


@pytest.mark.on(ONE)
def test_memory_is_measured_after_a_time_without(interpreter, tmp_path):
    result = plain(interpreter, tmp_path, (
        "import threading\n"
        "def work():\n"
        "    global kept\n"
        "    spin(0.05)\n"
        "    kept = [bytearray(200_000) for _ in range(100)]\n"
        "for options in (['--cpu-only'], [], ['--cpu-only'], []):\n"
        "    scalene_profiler.start(*options)\n"
        "    thread = threading.Thread(target=work)\n"
        "    thread.start(); thread.join()\n"
        "    profile = scalene_profiler.stop()\n"
        "    made = sum(line['n_malloc_mb'] for line in profile.lines.values())\n"
        "    print(len(profile['scalene']['processes'][0]['threads']), profile['memory'], round(made))\n"))
    assert result.status == 0, result.stderr
    assert result.stdout == "2 False 0\n2 True 19\n" * 2


@pytest.mark.on(ONE)
def test_configuration_holds_for_the_api_too(interpreter, tmp_path):
    """But measuring begins when the program says so, and what is wrong with the file is told."""
    (tmp_path / "pyproject.toml").write_text("[tool.scalene]\ncpu-only = true\noff = true\nprofile-al = true\n")
    result = plain(interpreter, tmp_path, (
        "for options in (['--async'], ['--memory']):\n"
        "    scalene_profiler.start(*options); spin(0.05); kept = bytes(1 << 20); profile = scalene_profiler.stop()\n"
        "    print(profile['memory'], profile['elapsed_time_sec'] > 0.04)\n"))
    assert result.stdout == "False True\nTrue True\n", result.stderr
    assert "did you mean 'profile-all'?" in result.stderr and "--async has no effect yet" in result.stderr


@pytest.mark.on(ONE)
def test_forked_child_is_measured_too(interpreter, tmp_path):
    result = plain(interpreter, tmp_path, (
        "import os\n"
        "scalene_profiler.start('--cpu-only')\n"
        "if os.fork() == 0:\n"
        "    spin(0.2)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "profile = scalene_profiler.stop()\n"
        "print([round(p['cpu_seconds'], 1) for p in profile['scalene']['processes']])\n"))
    assert (result.status, result.stdout) == (0, "[0.0, 0.2]\n"), result.stderr


CHILD = """\
import os, sys, time
def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
work(float(sys.argv[1]))
print(sorted(name for name in os.environ if name.startswith(("LD_PRELOAD", "SCALENE_"))), flush=True)
"""


@pytest.mark.on("3.8", "3.12", "3.14")
def test_pythons_that_are_started_meanwhile_are_measured_too(interpreter, tmp_path):
    """By exec, by a shell and by multiprocessing; none of them sees how. Before and after nothing is carried."""
    (tmp_path / "child.py").write_text(CHILD)
    result = plain(interpreter, tmp_path, (
        "import multiprocessing, os, subprocess, sys\n"
        "command = [sys.executable, 'child.py', '0.1']\n"
        "def unmeasured():\n"
        "    text = subprocess.run(['env'], stdout=subprocess.PIPE).stdout\n"
        "    return b'LD_PRELOAD' not in text and b'SCALENE_AGENT' not in text\n"
        "if __name__ == '__main__':\n"
        "    print(unmeasured(), flush=True)\n"
        "    for _ in range(2):\n"
        "        scalene_profiler.start('--cpu-only', '--use-virtual-time')\n"
        "        subprocess.run(command)\n"
        "        os.system(' '.join(command))\n"
        "        with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "            pool.map(spin, [0.2])\n"
        "        profile = scalene_profiler.stop()\n"
        # A fork that a tick meets before its exec is a process, too.
        "        mine = [p for p in profile['scalene']['processes'] if 'tracker import' not in p['argv'][-1]]\n"
        "        mine = mine[:1] + [p for p in mine[1:] if p['cpu_seconds'] > 0.03]\n"
        "        print(len(mine), all(p['cpu_seconds'] > 0.09 for p in mine[1:]), unmeasured(),\n"
        "              (os.path.abspath('child.py'), 4) in profile.lines, (__file__, 5) in profile.lines, flush=True)\n"))
    assert result.status == 0, result.stderr
    assert result.stdout == "True\n" + 2 * ("[]\n[]\n" + "4 True True True True\n")


@pytest.mark.on(ONE)
def test_child_that_outlives_the_session_goes_on_alone(interpreter, tmp_path):
    (tmp_path / "child.py").write_text(CHILD)
    result = plain(interpreter, tmp_path, (
        "import subprocess, sys\n"
        "scalene_profiler.start('--cpu-only')\n"
        "child = subprocess.Popen([sys.executable, 'child.py', '0.5'])\n"
        "time.sleep(0.2)\n"
        "scalene_profiler.stop()\n"
        "print(child.poll(), flush=True)\n"
        "sys.exit(child.wait())\n"))
    assert (result.status, result.stdout) == (0, "None\n[]\n"), result.stderr


@pytest.mark.on(ONE)
def test_under_scalene_run_only_what_lies_between_is_measured(scalene, interpreter, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(HEAD + SPIN + (
        "spin(0.2)\n"                                   # 7
        "with scalene_profiler.enable_profiling() as profile:\n"
        "    spin(0.3)\n"                               # 9
        "spin(0.2)\n"                                   # 10
        "print(scalene_profiler.is_profiling(), round(profile['elapsed_time_sec'], 1) >= 0.3)\n"
        "scalene_profiler.start()\n"
        "print(scalene_profiler.is_profiling())\n"
        "scalene_profiler.stop()\n"))
    result = scalene.run(program, interpreter=interpreter, options=["--off"], env=ENV)
    assert (result.status, result.stdout) == (0, "False True\nTrue\n"), result.stderr
    profile = result.profile
    cpu = sum(thread["cpu_seconds"] for thread in profile["scalene"]["processes"][0]["threads"])
    assert 0.29 < cpu < 0.36
    callers = {frames[-2]["line"] for frames, _ in profile["combined_stacks"]
               if frames[-1]["display_name"].startswith("spin")}
    assert callers == {9}
    assert lines(profile, "program.py")[9]["lineno"] == 9


@pytest.mark.on(ONE)
def test_importing_the_package_changes_nothing(interpreter):
    code = ("import sys, signal, threading, os\n"
            "before = [signal.getsignal(s) for s in range(1, 65) if s not in (32, 33)]\n"
            "from scalene import scalene_profiler\n"
            "assert before == [signal.getsignal(s) for s in range(1, 65) if s not in (32, 33)]\n"
            "assert not hasattr(__builtins__, 'profile') and threading.active_count() == 1\n"
            "assert 'libscalene' not in open('/proc/self/maps').read()\n"
            "print(scalene_profiler.stop() == {})\n")
    result = bare(interpreter, "-c", code, env=ENV)
    assert (result.status, result.stdout) == (0, "True\n"), result.stderr


@pytest.mark.on(ONE)
def test_signals_go_on_as_before(interpreter, tmp_path):
    """Handlers from before and after, faults included, are the program's own."""
    result = plain(interpreter, tmp_path, (
        "import signal, os, ctypes, faulthandler\n"
        "seen = []\n"
        "signal.signal(signal.SIGUSR1, lambda *_: seen.append('usr1'))\n"
        "scalene_profiler.start()\n"
        "signal.signal(signal.SIGALRM, lambda *_: seen.append('alarm'))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
        "os.kill(os.getpid(), signal.SIGUSR1)\n"
        "spin(0.1); time.sleep(0.1)\n"
        "print(sorted(seen), flush=True)\n"
        "scalene_profiler.stop()\n"
        "ctypes.string_at(8)\n"))
    assert (result.status, result.stdout) == (-signal.SIGSEGV, "['alarm', 'usr1']\n"), result.stderr


@pytest.mark.on(ONE)
def test_wrong_option_is_one_sentence(interpreter, tmp_path):
    result = plain(interpreter, tmp_path, (
        "from scalene import agent\n"
        "try:\n"
        "    scalene_profiler.start('--no-such-option')\n"
        "except agent.Error as error:\n"
        "    print(error)\n"
        "scalene_profiler.start('--cpu-only'); spin(0.05)\n"
        "print(scalene_profiler.stop()['scalene']['samples'] > 3)\n"))
    first, second = result.stdout.splitlines()
    assert "--no-such-option" in first and second == "True"


def test_library_that_is_not_there_is_one_sentence(tmp_path):
    (tmp_path / "scalene").symlink_to(ROOT / "python/scalene")
    result = execute([sys.executable, "-c", (
        "from scalene import places, scalene_profiler\n"
        "def gone(*_): raise FileNotFoundError('not there')\n"
        "places.library = gone\n"
        "scalene_profiler.start()\n")], env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert result.status == 1 and result.stderr.rstrip().endswith("FileNotFoundError: not there")
    assert subprocess.run(["true"], check=False).returncode == 0
