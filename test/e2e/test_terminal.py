# SPDX-License-Identifier: Apache-2.0
"""On a terminal: Ctrl-C, Ctrl-Z and Ctrl-\\ do to a profiled program what they do to a bare one."""
import os
import pty
import re
import select
import signal
import time

import pytest
from harness import SCALENE

PROGRAM = """
import os, signal, sys, time
n = 0
def handler(number, frame):
    global n
    n += 1
    print("interrupt", n, flush=True)
    if n == 2:
        sys.exit(8)
signal.signal(signal.SIGINT, handler)
print("ready", sys.stdin.isatty(), os.tcgetpgrp(0) == os.getpgrp(), flush=True)
while True:
    time.sleep(0.01)
"""


class Terminal:
    """A command on a terminal of its own; what it printed so far is `text`."""

    def __init__(self, command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            for key in (signal.SIGINT, signal.SIGQUIT):  # ignored if the tests run in the background
                signal.signal(key, signal.SIG_DFL)
            os.execv(str(command[0]), [str(part) for part in command])
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.fd)

    def expect(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert time.monotonic() < end, f"{pattern!r} never came: {self.text!r}"
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 4096).decode(errors="replace")
                except OSError:  # the other end is closed
                    assert re.search(pattern, self.text), f"{pattern!r} never came: {self.text!r}"

    def type(self, keys):
        os.write(self.fd, keys)

    def status(self, options=0):
        return os.waitpid(self.pid, options)[1]


@pytest.fixture(params=["bare", "scalene"])
def command(request, tmp_path, interpreter):
    if request.param == "bare":
        return [interpreter.path, "-c", PROGRAM]
    return [SCALENE, "run", "-o", tmp_path / "out.json", "--python", interpreter.path, "-c", PROGRAM]


@pytest.mark.on("3.12")
@pytest.mark.timeout(90)
def test_interrupt_key_is_one_interrupt(interpreter, command):
    with Terminal(command) as terminal:
        terminal.expect("ready True True")
        terminal.type(b"\x03")
        terminal.expect("interrupt 1")
        time.sleep(0.3)
        assert "interrupt 2" not in terminal.text
        terminal.type(b"\x03")
        terminal.expect("interrupt 2")
        assert os.waitstatus_to_exitcode(terminal.status()) == 8


@pytest.mark.on("3.12")
@pytest.mark.timeout(90)
def test_quit_key_ends_by_the_same_signal(interpreter, command):
    with Terminal(command) as terminal:
        terminal.expect("ready")
        terminal.type(b"\x1c")
        assert os.waitstatus_to_exitcode(terminal.status()) == -signal.SIGQUIT


@pytest.mark.on("3.12")
@pytest.mark.timeout(90)
def test_stop_key_stops_and_continues(interpreter, command):
    with Terminal(command) as terminal:
        terminal.expect("ready")
        # A session leader without a shell above it is an orphan, whom Ctrl-Z does not stop.
        os.kill(terminal.pid, signal.SIGSTOP)
        assert os.WIFSTOPPED(terminal.status(os.WUNTRACED))
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.type(b"\x03")
        terminal.expect("interrupt 1")
        terminal.type(b"\x03")
        terminal.expect("interrupt 2")
        assert os.waitstatus_to_exitcode(terminal.status()) == 8
