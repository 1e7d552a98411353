# SPDX-License-Identifier: Apache-2.0
"""A program that dies at any moment leaves a whole profile, and its status is kept.

SCALENE_DEATHS sets the number of runs (make torture: 100); the moments are random but repeatable.
"""
import os
import random
import signal
import struct
import subprocess
import time

import pytest
from harness import PROGRAMS, SCALENE, cpu_seconds, execute, interpreters, thread_seconds

N_DEATHS = int(os.environ.get("SCALENE_DEATHS", "20"))
STATUS = {"kill": -signal.SIGKILL, "_exit": 5, "abort": -signal.SIGABRT, "segfault": -signal.SIGSEGV}
# What may be missing of the end, as promised.
LOST_S = 0.1
DYING = PROGRAMS / "death/dying.py"


def deaths():
    dice = random.Random(20)
    found = interpreters()
    for i in range(N_DEATHS):
        way = list(STATUS)[i % len(STATUS)]
        interpreter = found[i % len(found)]
        seconds = round(dice.uniform(0.0, 1.5), 3)
        yield pytest.param(interpreter, way, seconds, id=f"{i}-{way}-{interpreter.id}-{seconds}s")


def clocks(path):
    """The CPU clock of the program when it began and when it died."""
    return struct.unpack_from("dd", path.read_bytes())


@pytest.mark.parametrize("interpreter, way, seconds", deaths())
def test_profile_outlives_the_program(scalene, interpreter, way, seconds, tmp_path):
    clock = tmp_path / "clock"
    result = scalene.run(DYING, way, seconds, clock, interpreter=interpreter)
    assert result.status == STATUS[way], result.stderr
    begin, end = clocks(clock)
    measured = cpu_seconds(result.profile)
    assert measured >= (end - begin) - LOST_S
    assert measured == pytest.approx(thread_seconds(result.profile), abs=0.001)
    # The start-up before the first line is measured too, and nothing that did not happen.
    assert measured <= end + 0.05


@pytest.mark.on("3.12")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_profile_outlives_a_program_killed_from_outside(scalene, interpreter, number, tmp_path):
    clock = tmp_path / "clock"
    profile = tmp_path / "profile.json"
    command = [SCALENE, "run", "-o", profile, "--python", interpreter.path, DYING, "_exit", "30", clock]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: clock.exists() and clock.stat().st_size and clocks(clock)[1] > 0.5)
        os.kill(struct.unpack_from("ddq", clock.read_bytes())[2], number)
        process.communicate(timeout=60)
    assert process.returncode == -number
    begin, end = clocks(clock)
    result = scalene("view", "--cli", profile)
    assert result.status == 0 and "dying.py" in result.stdout, result.stderr
    assert profile.stat().st_size > 0 and end > begin


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


# ---- signals sent to scalene itself ----

PATIENT = """
import signal, sys, time
def handler(number, frame):
    print("got", int(number), flush=True)
    sys.exit(21)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT):
    signal.signal(number, handler)
print("ready", flush=True)
while True:
    time.sleep(0.01)
"""


@pytest.mark.on("3.8", "3.12")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT"])
def test_signal_to_scalene_reaches_the_program_once(interpreter, name, tmp_path):
    number = getattr(signal, name)
    command = [SCALENE, "run", "-o", tmp_path / "out.json", "--python", interpreter.path, "-c", PATIENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert out == f"got {int(number)}\n"
    assert process.returncode == 21, err
    assert (tmp_path / "out.json").exists()


@pytest.mark.on("3.12")
def test_ignored_signals_stay_ignored(scalene, interpreter, tmp_path):
    program = "from signal import *; print(getsignal(SIGINT) is SIG_IGN, getsignal(SIGHUP) is SIG_IGN)"
    path = tmp_path / "out.json"
    command = [SCALENE, "run", "-o", path, "--python", interpreter.path, "-c", program]
    shell = ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh"]
    want = execute([*shell, interpreter.path, "-c", program])
    got = execute([*shell, *command])
    assert got.stdout == want.stdout == "True True\n"


@pytest.mark.on("3.12")
@pytest.mark.timeout(90)
def test_stopped_program_stops_and_continues_scalene(interpreter, tmp_path):
    code = "import os, signal; print('stops', flush=True); os.kill(os.getpid(), signal.SIGSTOP); print('goes on')"
    command = [SCALENE, "run", "-o", tmp_path / "out.json", "--python", interpreter.path, "-c", code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        pid, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), "scalene did not stop with its program"
        os.kill(process.pid, signal.SIGCONT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out == "stops\ngoes on\n"
    assert process.returncode == 0, err
