# SPDX-License-Identifier: Apache-2.0
"""Measuring switched off and on, from within and from outside; the profile of a program that runs."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
from harness import PROGRAMS, ROOT, SCALENE, TIMEOUT_S, cpu_seconds, execute, lines, thread_seconds
from messages import assert_said

ONE = "3.12"
TOGGLE = PROGRAMS / "control/toggle.py"
PHASES = PROGRAMS / "control/phases.py"
WITH_PACKAGE = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
# make test switches a few hundred times, make torture 10,000 times.
N_SWITCHES = os.environ.get("SCALENE_SWITCHES", "200")
WINDOW = 32768  # bytes between two samples of what TOGGLE allocates
TOGGLE_LINES = TOGGLE.read_text().split("\n")
OFF_LINES = range(TOGGLE_LINES.index("def compute_off(n):"), TOGGLE_LINES.index("def allocate(n):"))


def ask(*arguments):
    return execute([SCALENE, "profile", *arguments])


def cpu_of(pid):
    """CPU seconds of a process's main thread."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


def polled(what):
    """Again and again, until whoever asks is content."""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        yield
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {TIMEOUT_S} s")


class Running:
    """A program under scalene run, with its parts of the conversation."""

    def __init__(self, folder, *options, arguments=(), python=sys.executable):
        self.profile_path = folder / "running.json"
        self.stop_path = folder / "stop"
        self.process = subprocess.Popen(
            [str(SCALENE), "run", "-o", str(self.profile_path), "--python", python, *options,
             str(PHASES), str(self.stop_path), *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True)
        self.pid = self.process.pid

    def profile(self):
        return json.loads(self.profile_path.read_text())

    def target(self):
        """The pid of the Python that scalene has started."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            children = [int(pid) for pid in file.read().split()]
        return next(pid for pid in children if str(PHASES).encode() in
                    pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:2])

    def pids(self):
        """The target and its children."""
        target = self.target()
        with open(f"/proc/{target}/task/{target}/children", encoding="ascii") as file:
            return [target, *map(int, file.read().split())]

    def cpu(self):
        """CPU seconds of the target's main thread, which is its only one."""
        return cpu_of(self.target())

    def wait_for_work(self, seconds, n_processes=1):
        """Until each of so many processes has had so much more CPU time, however busy the machine is."""
        begin = {}
        for _ in polled(f"{n_processes} processes at work"):
            with contextlib.suppress(OSError, StopIteration):  # they come into being meanwhile
                now = {pid: cpu_of(pid) for pid in self.pids()}
                begin = {**now, **begin}
                if len(now) >= n_processes and all(now[pid] - begin[pid] > seconds for pid in now):
                    return

    def settled(self, n_processes=1):
        """The profile when every process has met the tick at which it notices that it was switched off: on a machine
        where it hardly gets a CPU, ticks that hit it are rare."""
        self.wait_for_work(0.1, n_processes)
        assert ask("--dump", "--pid", str(self.pid)).status == 0
        return self.profile()

    def end(self):
        self.stop_path.touch()
        self.process.communicate(timeout=TIMEOUT_S)
        return self.profile()


@contextlib.contextmanager
def running(folder, *options, **more):
    program = Running(folder, *options, **more)
    try:
        program.wait_for_work(0.1)
        yield program
    finally:
        if program.process.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
        program.process.communicate()


@pytest.mark.on(ONE)
@pytest.mark.timeout(2400)
def test_toggled_while_threads_work_nothing_is_lost_or_doubled(scalene, interpreter):
    result = scalene.run(TOGGLE, N_SWITCHES, interpreter=interpreter, env=WITH_PACKAGE, timeout=2300,
                         options=["--off", "--memory", "--allocation-sampling-window", str(WINDOW)])
    truth, profile = json.loads(result.stdout), result.profile
    # The program knows what it used while on to 1% (mostly to 0.5%), and uses a fifth of its time while off.
    assert truth["low"] <= truth["high"] < 1.01 * truth["low"] < 0.9 * truth["all"]
    assert 0.99 * truth["low"] < thread_seconds(profile) < 1.01 * truth["high"]
    assert cpu_seconds(profile) == pytest.approx(thread_seconds(profile), rel=0.001)
    assert truth["wall_low"] <= profile["elapsed_time_sec"] <= truth["wall_high"] + 0.001
    told = {line["line"].strip(): line for line in lines(profile, "toggle.py").values()}
    mallocs = {name: told[f"{name} = bytes({name.upper()})"]["n_malloc_mb"] * 2**20 for name in ("small", "large")}
    print({**truth, "told": thread_seconds(profile), **mallocs})  # for whoever looks how near it was
    assert told["x = i * i % 7"]["n_cpu_percent_python"] > 5
    # Every large block (200 KB) is recorded, not one more or less; the JSON rounds. Of the small ones some are, chosen as
    # they come: four of their standard deviations, if they knew nothing of each other.
    assert mallocs["large"] == pytest.approx(truth["large_on"], abs=1000)
    error = 4 * (WINDOW / truth["small_on"]) ** 0.5
    assert mallocs["small"] == pytest.approx(truth["small_on"], rel=error)
    assert error < 0.2 and min(truth["small_off"] / truth["small_on"], truth["large_off"] / truth["large_on"]) > 0.2
    assert told["small = bytes(SMALL)"]["n_live_mb"] < 1
    off = [line for number, line in lines(profile, "toggle.py").items() if number in OFF_LINES]
    assert sum(line["n_cpu_percent_python"] + line["n_cpu_percent_c"] for line in off) < 1
    assert not profile["scalene"]["drops"]["ring_full"]


@pytest.mark.on(ONE)
def test_switched_off_from_the_start_nothing_is_measured(scalene, interpreter, tmp_path):
    (tmp_path / "stop").touch()
    program = "sum(range(3_000_000)); x = bytearray(50 << 20)"
    profile = scalene.run("-c", program, interpreter=interpreter, options=["--off", "--memory"]).profile
    assert thread_seconds(profile) < 0.01 and profile["scalene"]["samples"] == 0
    assert profile["elapsed_time_sec"] < 0.01 and profile["max_footprint_mb"] == 0


@pytest.mark.says("profiling turned off", "profiling turned on")
@pytest.mark.sees("profile on", "profile off", "profile pid")
def test_time_switched_off_from_outside_is_absent(tmp_path):
    with running(tmp_path) as program:
        assert_said("profiling turned off", ask("--off", "--pid", str(program.pid)).stdout)
        assert program.profile()["files"]  # the outfile was named: it is written at once
        at_off = program.settled()
        cpu_start = program.cpu()
        program.wait_for_work(0.2)
        assert ask("--dump", "--pid", str(program.target())).status == 0
        later = program.profile()
        off_s = program.cpu() - cpu_start
        assert_said("profiling turned on", ask("--on", "--pid", str(program.pid)).stdout)
        time.sleep(0.5)
        profile = program.end()
    # A tick and a look may be late.
    assert thread_seconds(later) - thread_seconds(at_off) < 0.01
    assert later["elapsed_time_sec"] == pytest.approx(at_off["elapsed_time_sec"], abs=0.01)
    assert later["scalene"]["idle_seconds"] == pytest.approx(at_off["scalene"]["idle_seconds"], abs=0.05)
    process = profile["scalene"]["processes"][0]
    assert off_s > 0.05 and thread_seconds(profile) < process["total_cpu_seconds"] - off_s
    assert profile["elapsed_time_sec"] > later["elapsed_time_sec"] + 0.4


def test_the_whole_tree_is_switched(tmp_path):
    with running(tmp_path, "--off", arguments=["child"]) as program:
        program.wait_for_work(0.1, n_processes=2)
        ask("--on", "--pid", str(program.pid))
        program.wait_for_work(0.1, n_processes=2)
        ask("--off", "--pid", str(program.pid))
        before = {p["pid"]: p["cpu_seconds"] for p in program.settled(n_processes=2)["scalene"]["processes"]}
        start = {pid: cpu_of(pid) for pid in before}
        program.wait_for_work(0.3, n_processes=2)
        off_s = {pid: cpu_of(pid) - start[pid] for pid in before}
        after = {p["pid"]: p["cpu_seconds"] for p in program.end()["scalene"]["processes"]}
    assert len(before) == len(after) == 2
    for pid, seconds in after.items():
        # What a process used from its last tick to the switch is told when it ends: some milliseconds, and more where
        # it has to share its CPU with many.
        assert 0.08 < seconds < before[pid] + 0.1 * off_s[pid]


@pytest.mark.on(ONE)
def test_frees_while_off_of_blocks_from_before_count(scalene, interpreter, tmp_path):
    program = tmp_path / "frees.py"
    program.write_text("from scalene import scalene_profiler\n"
                       "kept = [bytearray(100_000) for _ in range(300)]\n"
                       "scalene_profiler.stop()\n"
                       "del kept\n"
                       "other = bytearray(40 << 20)\n"
                       "scalene_profiler.start()\n")
    profile = scalene.run(program, interpreter=interpreter, options=["--memory"], env=WITH_PACKAGE).profile
    told = lines(profile, "frees.py")
    assert told[2]["n_malloc_mb"] == pytest.approx(300 * 100_000 / 2**20, rel=0.05)
    assert told[2]["n_live_mb"] < 1
    assert told.get(5, {"n_malloc_mb": 0})["n_malloc_mb"] == 0


def test_profile_is_rewritten_at_intervals(tmp_path):
    seen = []
    with running(tmp_path, "--profile-interval", "0.3") as program:
        for _ in polled("four profiles"):
            if program.profile_path.exists():
                profile = program.profile()  # whole whenever it is read
                has_begun = bool(profile["files"])  # not in the first ones, if the machine is busy
                if has_begun and (not seen or profile["elapsed_time_sec"] > seen[-1]["elapsed_time_sec"]):
                    seen.append(profile)
            if len(seen) == 4:
                break
        seen.append(program.end())
    for profile in seen:
        shares = [line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]
                  for file in profile["files"].values() for line in file["lines"]]
        assert sum(shares) == pytest.approx(100, abs=0.01)
        assert sum(stack["python_time"] + stack["c_time"] for _, stack in profile["stacks"]) < 1.001
    assert [p.name for p in tmp_path.iterdir() if ".json." in p.name] == []


@pytest.mark.sees("profile dump")
def test_dump_says_where_the_profile_is(tmp_path):
    with running(tmp_path) as program:
        result = ask("--dump", "--pid", str(program.target()))
        assert (result.status, result.stdout) == (0, f"Scalene: profile saved to {program.profile_path}\n")
        dumped = program.profile()
        program.profile_path.unlink()
        program.wait_for_work(0.1)
        profile = program.end()
    assert dumped["elapsed_time_sec"] > 0.1
    assert profile["elapsed_time_sec"] > dumped["elapsed_time_sec"] + 0.1


@pytest.mark.parametrize("arguments, status, sentence", [
    (["--on", "--pid", "4194304"], 1, "Process 4194304 not found."),
    (["--off", "--pid", "SELF"], 1, "process SELF is not being profiled."),
    (["--on", "--pid", "0"], 2, "--pid needs the number of a process, not '0'."),
    (["--on", "--pid", "x"], 2, "--pid needs the number of a process, not 'x'."),
    (["--on", "--off"], 2, "profile needs one of --on, --off and --dump; --pid N says which program."),
    ([], 2, "profile needs one of --on, --off and --dump; --pid N says which program."),
    (["--on", "1"], 2, "profile takes no arguments but its options."),
])
def test_bad_requests_are_one_sentence(arguments, status, sentence):
    own = str(os.getpid())
    result = ask(*[own if argument == "SELF" else argument for argument in arguments])
    sentence = sentence.replace("SELF", own)
    assert (result.status, result.stdout, result.stderr) == (status, "", f"scalene: {sentence}\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_other_users_processes_are_refused(tmp_path):
    with running(tmp_path) as program:
        result = execute(["setpriv", "--reuid=65534", "--clear-groups", SCALENE, "profile", "--off",
                          "--pid", str(program.target())])
        assert result.status == 1 and result.stdout == ""
        assert re.fullmatch(r"scalene: process \d+ may not be looked into: [^\n]*\.\n", result.stderr)


def test_python_module_speaks_to_the_program(tmp_path):
    with running(tmp_path) as program:
        command = [sys.executable, "-m", "scalene.profile", "--off", "--pid", str(program.pid)]
        result = execute(command, env=WITH_PACKAGE)
        assert result.status == 0 and result.stdout.startswith("Scalene: profiling turned off.\n")


@pytest.mark.says("background job")
def test_background_job_is_told_how_to_switch(tmp_path):
    """In a terminal of its own, but not in its foreground."""
    master, slave = os.openpty()
    program = tmp_path / "p.py"
    program.write_text("pass\n")
    starter = ("import os, subprocess, sys\n"
               "os.setsid(); import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
               "sys.exit(subprocess.run(sys.argv[1:], preexec_fn=os.setpgrp).returncode)\n")
    command = [sys.executable, "-c", starter, str(SCALENE), "run", "-o", str(tmp_path / "p.json"), str(program)]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    text = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(master, 4096):
            text += chunk
    assert process.wait(timeout=TIMEOUT_S) == 0
    assert_said("background job", text.decode())


DECORATED = """\
def helper(n):
    return sum(i % 7 for i in range(n))


@profile
def hot(n):
    total = helper(n)
    for i in range(n):
        total += i % 7
    return total


def other(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total


for _ in range(12):
    hot(400_000)
    other(40_000)
"""


def test_only_decorated_functions_are_reported(scalene, interpreter, tmp_path):
    program = tmp_path / "decorated.py"
    program.write_text(DECORATED)
    result = scalene.run(program, interpreter=interpreter)
    assert result.status == 0, result.stderr
    told = {number: line for number, line in lines(result.profile, "decorated.py").items()
            if line["n_cpu_percent_python"] + line["n_cpu_percent_c"] > 0}
    assert told.keys() <= {6, 7, 8, 9, 10}
    assert told[7]["n_cpu_percent_python"] > 20  # what it calls is charged to the line that calls


@pytest.mark.on(ONE)
@pytest.mark.parametrize("program", [
    "try:\n    profile\nexcept NameError:\n    print('none')\n",
    "def profile(f):\n    print('none')\n    return f\n@profile\ndef g(): pass\n",
    "from functools import wraps as profile\n@profile(print)\ndef g(): pass\nprint('none')\n",
    "text = '''\n@profile\ndef g(): pass\n'''\nprint('profile' in dir(__builtins__) or 'none')\n",
])
def test_programs_that_need_no_profile_have_none(scalene, interpreter, tmp_path, program):
    path = tmp_path / "program.py"
    path.write_text(program + "def f():\n    return sum(i % 7 for i in range(300_000))\nf()\n")
    result = scalene.run(path, interpreter=interpreter)
    assert (result.status, result.stdout) == (0, "none\n"), result.stderr
    assert lines(result.profile, "program.py")
