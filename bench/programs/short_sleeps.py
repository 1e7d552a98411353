# SPDX-License-Identifier: Apache-2.0
"""Sleeps for 50 us again and again: thousands of short waits a second, hardly any CPU time."""
import time

import pyperf


def doze(loops: int) -> None:
    for _ in range(1000 * loops):
        time.sleep(50e-6)


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("short_sleeps", doze)
