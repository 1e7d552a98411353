# SPDX-License-Identifier: Apache-2.0
"""Reads single bytes: a system call per line, with the GIL let go and taken again around each."""
import os

import pyperf


def read_bytes(loops: int) -> None:
    source = os.open("/dev/zero", os.O_RDONLY)
    for _ in range(10_000 * loops):
        os.read(source, 1)
    os.close(source)


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("small_reads", read_bytes)
