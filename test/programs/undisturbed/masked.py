# SPDX-License-Identifier: Apache-2.0
"""Threads that block every signal work; what they see of the mask and of pending signals."""
import ctypes
import json
import os
import signal
import threading
import time

EVERY = signal.valid_signals()
spent = {}


def work(name, duration):  # @work
    begin = time.thread_time()
    while time.thread_time() - begin < duration:
        for i in range(1000):
            i * i
    spent[name] = time.thread_time() - begin


def show():
    return sorted(int(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, [])), \
        sorted(int(n) for n in signal.sigpending())


def by_python():
    signal.pthread_sigmask(signal.SIG_BLOCK, EVERY)
    work_python(0.5)
    print("python", show())


def by_libc():
    libc, mask = ctypes.CDLL(None), (ctypes.c_ulong * 16)()
    libc.sigfillset(mask)
    libc.pthread_sigmask(signal.SIG_SETMASK, mask, None)
    work_libc(0.5)
    print("libc", show())


def by_kernel():
    """As runtimes do that know no libc; nothing stands between this call and the kernel."""
    libc, mask = ctypes.CDLL(None), ctypes.c_ulong(2 ** 64 - 1)
    assert libc.syscall(14, signal.SIG_SETMASK, ctypes.byref(mask), None, 8) == 0
    work_kernel(0.5)


def inherited():
    work_inherited(0.5)
    print("inherited", show())


def work_python(duration):  # @python
    work("python", duration)


def work_libc(duration):  # @libc
    work("libc", duration)


def work_kernel(duration):  # @kernel
    work("kernel", duration)


def work_inherited(duration):  # @inherited
    work("inherited", duration)


def run(*functions):
    for function in functions:
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()


run(by_python, by_libc, by_kernel)
signal.pthread_sigmask(signal.SIG_BLOCK, EVERY)
run(inherited)
if "TRUTH" in os.environ:
    with open(os.environ["TRUTH"], "w") as out:
        json.dump(spent, out)
