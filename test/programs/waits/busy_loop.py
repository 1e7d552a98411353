# SPDX-License-Identifier: Apache-2.0
"""Nothing but a loop (C6)."""
import time

import clocks


def loop(end):  # @loop
    x, begin = 1, time.thread_time()
    while time.perf_counter() < end:
        for i in range(2000):
            x = (x * 31 + i) % 65521
    clocks.spent["loop"] = time.thread_time() - begin


def main(end):
    with clocks.wait("none", "sleep"):
        pass
    loop(end)


clocks.run(main)
