# SPDX-License-Identifier: Apache-2.0
"""A thread sleeps and the main thread joins, while another works: both cost nothing (C4)."""
import time

import clocks


def sleeper(end):
    while time.perf_counter() < end:
        with clocks.wait("sleep", "sleep+gil"):
            time.sleep(0.2)  # @sleep


def worker(end):
    while time.perf_counter() < end:
        clocks.spin(0.02)


def main(end):
    threads = [clocks.spawn(sleeper, end - 0.1), clocks.spawn(worker, end + 0.2)]
    with clocks.wait("join", "lock+gil"):
        threads[1].join()  # @join
    threads[0].join()


clocks.run(main)
