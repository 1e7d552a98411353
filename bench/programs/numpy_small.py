# SPDX-License-Identifier: Apache-2.0
"""Small numpy arrays, a new one from every operation: memory of an extension, not of Python."""
import numpy
import pyperf


def compute(loops: int) -> None:
    some = numpy.arange(32.0)
    for _ in range(1000 * loops):
        (some * 2.0 + some).copy()


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("numpy_small", compute)
