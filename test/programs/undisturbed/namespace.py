# SPDX-License-Identifier: Apache-2.0
"""Works in a namespace of processes of its own, where it is the first, and has a child there."""
import ctypes
import os
import sys
import time

CLONE_NEWPID = 0x20000000


def work():
    end = time.process_time() + 0.2
    while time.process_time() < end:
        sum(range(1000))


def tell(*words):
    print(*words, flush=True)


def fork(run, *arguments):
    pid = os.fork()
    if pid == 0:
        run(*arguments)
        os._exit(0)
    os.waitpid(pid, 0)


def inner(depth):
    work()
    tell(os.readlink("/proc/self"), "is", os.getpid())
    if depth:
        fork(inner, depth - 1)


if ctypes.CDLL(None).unshare(CLONE_NEWPID) != 0:
    sys.exit(5)
tell(os.getpid(), "is", os.getpid())
fork(inner, 1)
