# SPDX-License-Identifier: Apache-2.0
"""Threads of known different work, one after the other: each on a line of its own, by its own CPU clock."""
import sys
import threading
import time
import zlib

TEXT = bytes(range(256)) * 64


def loop(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        total = 0
        for i in range(2000):
            total += i * i  # the line of every "loop" thread


def squeeze(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        zlib.compress(TEXT, 9)  # the line of every "squeeze" thread


def nap(seconds):
    time.sleep(seconds)  # the line of the "nap" thread


def run(name, target, seconds):
    thread = threading.Thread(name=name, target=target, args=(seconds,))
    thread.start()
    thread.join()


if __name__ == "__main__":
    unit = float(sys.argv[1])
    run("first", loop, 2 * unit)
    run("second", squeeze, unit)
    run("third", loop, unit)
    run("nap", nap, unit)
