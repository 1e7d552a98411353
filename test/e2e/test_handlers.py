# SPDX-License-Identifier: Apache-2.0
"""Samples that meet the program inside its own signal handlers, and signals that meet each other."""
import signal
import subprocess

import pytest

# The handler is faulthandler's, in C, and walks the stack each time: nearly all of the time is its.
PROGRAM = """\
import faulthandler, os, signal, time

def deep(n):
    if n:
        deep(n - 1)
        return
    end = time.process_time() + 0.5
    while time.process_time() < end:
        os.kill(os.getpid(), signal.SIGUSR1)

with open(os.devnull, "w") as sink:
    faulthandler.register(signal.SIGUSR1, file=sink)
    deep(40)
"""
KILL_LINE = 9


def test_way_to_the_evaluation_loop_leads_out_of_handlers(scalene, interpreter, tmp_path):
    program = tmp_path / "handler.py"
    program.write_text(PROGRAM)
    facts = scalene.run(program, interpreter=interpreter).profile
    own = facts["scalene"]
    assert own["samples"] >= 20
    assert own["drops"]["unwind_failed"] <= 0.05 * own["samples"], own["drops"]
    lines = {line["lineno"]: line for line in facts["files"][str(program)]["lines"]}
    assert lines[KILL_LINE]["n_cpu_percent_python"] < lines[KILL_LINE]["n_cpu_percent_c"] + \
        lines[KILL_LINE]["n_sys_percent"]


# Traps as bursts of perf send them, pending because they are blocked.
QUEUE_TRAP = """\
import ctypes, os, signal, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
COOKIE, TRAP_PERF, RT_TGSIGQUEUEINFO = 0x656e656c61637300, 6, 297
info = struct.pack("<iiiiQQII88x", signal.SIGTRAP, 0, TRAP_PERF, 0, 0, COOKIE, 0, 1)

def queue_trap():
    assert libc.syscall(RT_TGSIGQUEUEINFO, os.getpid(), libc.gettid(), signal.SIGTRAP, info) == 0

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTRAP])
"""
# Beside faults: those of our own loads, when large blocks grow, and one that the program handles itself.
TRAPS = QUEUE_TRAP + """\
for i in range(200):
    block = bytearray(300_000 + 4096 * i)
    queue_trap()
    for _ in range(3):
        block.extend(bytes(150_000))

libc.mmap.restype = ctypes.c_void_p
where = libc.mmap(None, ctypes.c_size_t(4096), 1, 0x22, -1, ctypes.c_size_t(0))
faults = []

@ctypes.CFUNCTYPE(None, ctypes.c_int)
def on_fault(number):
    faults.append(number)
    libc.mprotect(ctypes.c_void_p(where), ctypes.c_size_t(4096), 3)

libc.signal(signal.SIGSEGV, on_fault)
queue_trap()
ctypes.memset(where, 7, 1)
print(faults, ctypes.string_at(where, 1))
"""


def test_trap_that_waits_beside_a_fault_does_no_harm(scalene, interpreter, tmp_path):
    program = tmp_path / "traps.py"
    program.write_text(TRAPS)
    result = scalene.run(program, interpreter=interpreter)
    assert (result.status, result.stdout) == (0, "[11] b'\\x07'\n"), result.stderr


# Replaces itself by a program that knows nothing of us, or asks which signals wait for it.
LEAVES = QUEUE_TRAP + """\
if sys.argv[1] == "own":
    os.kill(os.getpid(), signal.SIGTRAP)
else:
    queue_trap()
if sys.argv[2] == "exec":
    os.execv(sys.argv[3], [sys.argv[3]])
taken = signal.sigtimedwait([signal.SIGTRAP], 0)
print(taken and taken.si_signo)
"""
UNBLOCK = """\
#include <signal.h>
#include <stdio.h>
int main(void)
{
    sigset_t every;
    sigfillset(&every);
    sigprocmask(SIG_UNBLOCK, &every, NULL);
    puts("alive");
}
"""


@pytest.mark.on("3.8", "3.14")
@pytest.mark.parametrize("whose, ends_by, status, printed", [
    ("ours", "exec", 0, "alive\n"), ("own", "exec", -signal.SIGTRAP, ""),
    ("ours", "wait", 0, "None\n"), ("own", "wait", 0, "5\n")])
def test_trap_that_waits_is_gone_when_its_time_is_over(
        scalene, interpreter, tmp_path, whose, ends_by, status, printed):
    program, unblock = tmp_path / "leaves.py", tmp_path / "unblock"
    program.write_text(LEAVES)
    subprocess.run(["cc", "-x", "c", "-o", unblock, "-"], input=UNBLOCK, text=True, check=True,
                   timeout=60)
    result = scalene.run(program, whose, ends_by, unblock, interpreter=interpreter)
    assert (result.status, result.stdout) == (status, printed), result.stderr
