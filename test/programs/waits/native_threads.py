# SPDX-License-Identifier: Apache-2.0
"""Threads made by C code that call into Python by PyGILState_Ensure, work and sleep there (C14)."""
import ctypes
import threading
import time

import clocks

libc = ctypes.CDLL(None)
START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
N_THREADS = 2


def native():
    """What runs in such a thread; ctypes takes and gives back the GIL around it."""
    end = time.perf_counter() + clocks.seconds()
    while time.perf_counter() < end:
        clocks.spin(0.02)
        with clocks.wait("sleep", "sleep+gil"):
            time.sleep(0.03)  # @sleep


def live(_):
    begin, delayed = time.perf_counter(), clocks.delay()
    native()
    clocks.lives.append((begin, time.perf_counter()))
    clocks.starved.append(clocks.delay() - delayed)
    return 0


def main(end):
    start, numbers = START(live), []
    for _ in range(N_THREADS):
        number = ctypes.c_ulong()
        assert libc.pthread_create(ctypes.byref(number), None, start, None) == 0
        numbers.append(number)
    with clocks.wait("join", "lock"):
        for number in numbers:
            libc.pthread_join(number, None)  # @join


clocks.run(main)
