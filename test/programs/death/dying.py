# SPDX-License-Identifier: Apache-2.0
"""Works, noting its CPU clock all the while, until it dies: python dying.py WAY SECONDS CLOCK_FILE.

The file holds the thread's CPU clock at the beginning and now (doubles), and the process's id. It is
mapped, so that what was written last is there however the process ends.
"""
import ctypes
import mmap
import os
import signal
import struct
import sys
import time

WAYS = {
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "_exit": lambda: os._exit(5),
    "abort": os.abort,
    "segfault": lambda: ctypes.string_at(0),
}


def work(clock: mmap.mmap, end: float) -> None:
    begin = time.thread_time()
    total = 0
    while time.monotonic() < end:
        for i in range(300):
            total += i * i % 7
        struct.pack_into("ddq", clock, 0, begin, time.thread_time(), os.getpid())


def main() -> None:
    way, seconds, path = sys.argv[1:]
    with open(path, "w+b") as file:
        file.truncate(mmap.PAGESIZE)
        clock = mmap.mmap(file.fileno(), mmap.PAGESIZE)
    work(clock, time.monotonic() + float(seconds))
    WAYS[way]()


main()
