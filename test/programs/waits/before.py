# SPDX-License-Identifier: Apache-2.0
"""A thread that was started before measuring began works and sleeps (C14)."""
import os
import sys
import time

if "EARLY" not in os.environ:
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "early")
    os.execve(sys.executable, [sys.executable, *sys.argv],
              dict(os.environ, EARLY="1", PYTHONPATH=folder))

import sitecustomize

import clocks


def work():
    begin, delayed = time.perf_counter(), clocks.delay()
    end = begin + clocks.seconds()
    while time.perf_counter() < end:
        clocks.spin(0.03)
        with clocks.wait("sleep", "sleep"):
            time.sleep(0.03)  # @sleep
    clocks.lives.append((begin, time.perf_counter()))
    clocks.starved.append(clocks.delay() - delayed)


def main(end):
    sitecustomize.work.append(work)
    sitecustomize.ready.set()
    with clocks.wait("join", "lock"):
        sitecustomize.thread.join()  # @join


clocks.run(main)
