# SPDX-License-Identifier: Apache-2.0
"""Switches measuring on and off N times while threads compute and allocate; prints what was on.

The GIL is handed over only where a thread says so (sleep, zlib), so that nothing of Python runs between
a switch and the reading of the clocks beside it: bytes are known exactly, and the CPU time that must be
measured lies between `low` and `high`. They differ by what the switches themselves take, and by what a
thread without the GIL does meanwhile: less than a hundredth, for a stretch is some milliseconds of CPU
time, however long they last on a busy machine.
"""
import json
import sys
import threading
import time
import zlib

from scalene import scalene_profiler

N_SWITCHES, SMALL, LARGE = int(sys.argv[1]), 5000, 200_000
ON_S, OFF_S = 0.024, 0.006  # CPU time of all threads in a stretch
is_over = is_on = False
n_small = {True: 0, False: 0}
n_large = {True: 0, False: 0}


def compute(n):
    for i in range(n):
        x = i * i % 7
    return x


def compute_off(n):
    for i in range(n):
        y = i * i % 7
    return y


def allocate(n):
    n_small[is_on] += n
    for _ in range(n):
        small = bytes(SMALL)
    n_large[is_on] += 1
    large = bytes(LARGE)
    return small, large


def hold_the_gil():
    while not is_over:
        compute(1000)
        allocate(20)
        time.sleep(0)


def hold_no_gil():
    text = bytes(range(256)) * 2000
    while not is_over:
        zlib.compress(text, 6)


sys.setswitchinterval(100)
threads = [threading.Thread(target=f) for f in (hold_the_gil, hold_the_gil, hold_no_gil)]
for thread in threads:
    thread.start()
clocks = [time.pthread_getcpuclockid(thread.ident) for thread in threads]
clocks.append(time.CLOCK_THREAD_CPUTIME_ID)


def cpu():
    return sum(map(time.clock_gettime, clocks))


def let_work(begin, seconds, work):
    while cpu() - begin < seconds:
        work(500)
        time.sleep(0.0002)


low = high = wall_low = wall_high = 0.0
cpu_first = cpu()
for _ in range(N_SWITCHES // 2):
    wall_start, outer = time.perf_counter(), cpu()
    scalene_profiler.start()
    inner, is_on, wall_inner = cpu(), True, time.perf_counter()
    let_work(inner, ON_S, compute)
    is_on = False
    wall_low += time.perf_counter() - wall_inner
    low += cpu() - inner
    scalene_profiler.stop()
    end = cpu()
    high += end - outer
    wall_high += time.perf_counter() - wall_start
    let_work(end, OFF_S, compute_off)
cpu_all = cpu() - cpu_first
is_over = True
for thread in threads:
    thread.join()
small, large = sys.getsizeof(bytes(SMALL)), sys.getsizeof(bytes(LARGE))  # bytes are one block each
print(json.dumps({"low": low, "high": high, "wall_low": wall_low, "wall_high": wall_high, "all": cpu_all,
                  "small_on": n_small[True] * small, "small_off": n_small[False] * small,
                  "large_on": n_large[True] * large, "large_off": n_large[False] * large}))
