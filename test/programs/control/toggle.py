# SPDX-License-Identifier: Apache-2.0
"""Switches measuring on and off N times while threads compute and allocate; prints what was on.

The GIL is handed over only where a thread says so (sleep), so that nothing runs between a switch and
the reading of the clocks beside it: what must be measured lies between `low` and `high`.
"""
import json
import sys
import threading
import time

from scalene import scalene_profiler

N_SWITCHES, BLOCK = int(sys.argv[1]), 5000
is_over = is_on = False
n_blocks = {True: 0, False: 0}


def compute(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total


def compute_off(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total


def allocate(n):
    n_blocks[is_on] += n
    for _ in range(n):
        block = bytearray(BLOCK)
    return block


def worker():
    while not is_over:
        compute(300)
        allocate(5)
        time.sleep(0)


sys.setswitchinterval(100)
threads = [threading.Thread(target=worker) for _ in range(3)]
for thread in threads:
    thread.start()
clocks = [time.pthread_getcpuclockid(thread.ident) for thread in threads]
clocks.append(time.CLOCK_THREAD_CPUTIME_ID)


def cpu():
    return sum(map(time.clock_gettime, clocks))


low = high = wall_low = wall_high = 0.0
cpu_first = cpu()
for _ in range(N_SWITCHES // 2):
    wall_start, outer = time.perf_counter(), cpu()
    scalene_profiler.start()
    inner, is_on, wall_inner = cpu(), True, time.perf_counter()
    compute(600)
    time.sleep(0.0003)
    compute(200)
    is_on = False
    wall_low += time.perf_counter() - wall_inner
    low += cpu() - inner
    scalene_profiler.stop()
    high += cpu() - outer
    wall_high += time.perf_counter() - wall_start
    compute_off(1500)
    time.sleep(0.0003)
cpu_all = cpu() - cpu_first
is_over = True
for thread in threads:
    thread.join()
print(json.dumps({"low": low, "high": high, "wall_low": wall_low, "wall_high": wall_high, "all": cpu_all,
                  "bytes_on": n_blocks[True] * BLOCK, "bytes_off": n_blocks[False] * BLOCK}))
