# SPDX-License-Identifier: Apache-2.0
"""Computes and sleeps until the file named by its first argument exists; with a second argument, a child
of it does the same."""
import os
import subprocess
import sys
import time


def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def rest(seconds):
    time.sleep(seconds)


stop = sys.argv[1]
if len(sys.argv) > 2:
    child = subprocess.Popen([sys.executable, __file__, stop])
while not os.path.exists(stop):
    compute(0.02)
    rest(0.02)
if len(sys.argv) > 2:
    child.wait()
