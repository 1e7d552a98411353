# SPDX-License-Identifier: Apache-2.0
"""Threads of half a second, one after the other, that work and sleep (C14)."""
import time

import clocks


def short():
    for _ in range(5):
        clocks.spin(0.05)
        with clocks.wait("sleep", "sleep"):
            time.sleep(0.05)  # @sleep


def main(end):
    while time.perf_counter() < end:
        thread = clocks.spawn(short)
        with clocks.wait("join", "lock"):
            thread.join()  # @join


clocks.run(main)
