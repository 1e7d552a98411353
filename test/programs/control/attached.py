# SPDX-License-Identifier: Apache-2.0
"""A plain Python that measures itself, several times, among threads and memory from before."""
import json
import os
import sys
import threading
import time

before = [bytearray(100_000) for _ in range(50)]
is_over = False


def sleeper():
    while not is_over:
        time.sleep(0.02)


def worker():
    while not is_over:
        sum(range(1000))
        time.sleep(0.001)


threads = [threading.Thread(target=sleeper), threading.Thread(target=worker)]
for thread in threads:
    thread.start()

from scalene import scalene_profiler  # noqa: E402  (late on purpose)


def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def allocate():
    import sqlite3  # a module that is loaded while we measure
    sqlite3.connect(":memory:").execute("create table t (x)")
    kept = [bytearray(200_000) for _ in range(100)]
    return kept


def copy():
    data = bytes(20 << 20)
    for _ in range(5):
        bytearray(data)


def files():
    return {os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
            if os.path.exists(f"/proc/self/fd/{fd}")}


def look(profile):
    """What the test wants to know."""
    told = {line["line"].strip(): [line["n_malloc_mb"], line["n_copy_mb_s"] * profile["elapsed_time_sec"]]
            for (path, _), line in profile.lines.items() if path == os.path.abspath(__file__)}
    return {"told": told, "elapsed": profile["elapsed_time_sec"],
            "cpu": sum(t["cpu_seconds"] for t in profile["scalene"]["processes"][0]["threads"]),
            "threads": len(profile["scalene"]["processes"][0]["threads"]),
            "main": profile["scalene"]["processes"][0]["threads"][0]["main"],
            "waits": profile["scalene"]["waits_seen"]}


found, files_before = [], files()
for _ in range(int(sys.argv[1])):
    start_cpu = time.process_time()
    start = time.monotonic()
    scalene_profiler.start()
    begun = time.process_time()
    blocks = allocate()
    compute(0.15)
    copy()
    time.sleep(0.1)
    before.clear()
    used = time.process_time() - begun
    profile = scalene_profiler.stop()
    looked = look(profile)
    looked.update(wall=time.monotonic() - start, cpu_low=used,
                  cpu_high=time.process_time() - start_cpu)
    found.append(looked)
    del blocks
    compute(0.05)
try:
    child = os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    child = None
is_over = True
for thread in threads:
    thread.join()
if os.fork() == 0:  # nothing of ours is in the way of a child
    os._exit(0)
os.wait()
print(json.dumps({"found": found, "child": child, "files": sorted(files() - files_before)}))
