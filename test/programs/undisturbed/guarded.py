# SPDX-License-Identifier: Apache-2.0
"""Works and sleeps; with "undumpable" it first asks the kernel to let nobody look into it."""
import ctypes
import sys
import time

PR_SET_DUMPABLE = 4


def work(duration):  # @work
    begin = time.thread_time()
    while time.thread_time() - begin < duration:
        for i in range(1000):
            i * i


def nap():
    time.sleep(0.05)  # @nap


if "undumpable" in sys.argv:
    assert ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
for _ in range(10):
    work(0.05)
    nap()
sys.exit(3)
