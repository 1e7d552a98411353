# SPDX-License-Identifier: Apache-2.0
"""Two threads that both want the GIL all the time (C8)."""
import time

import clocks


def first(end):  # @first
    x, begin = 1, time.thread_time()
    while time.perf_counter() < end:
        for i in range(2000):
            x = (x * 31 + i) % 65521
    clocks.spent["first"] = time.thread_time() - begin


def second(end):  # @second
    x, begin = 1, time.thread_time()
    while time.perf_counter() < end:
        for i in range(1000):
            x = (x * 17 + i) % 65521
    clocks.spent["second"] = time.thread_time() - begin


def main(end):
    threads = [clocks.spawn(first, end), clocks.spawn(second, end)]
    with clocks.wait("join", "lock+gil"):
        threads[0].join()  # @join
    threads[1].join()


clocks.run(main)
