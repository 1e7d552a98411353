# SPDX-License-Identifier: Apache-2.0
"""One thread that works and sleeps in turn, on two lines."""
import random
import time

import clocks


def main(end):
    while time.perf_counter() < end:
        clocks.spin(random.uniform(0.01, 0.03))
        with clocks.wait("short", "sleep"):
            time.sleep(random.uniform(0.005, 0.03))  # @short
        clocks.spin(0.004)
        with clocks.wait("long", "sleep"):
            time.sleep(random.uniform(0.05, 0.1))  # @long


clocks.run(main)
