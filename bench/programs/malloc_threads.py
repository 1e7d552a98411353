# SPDX-License-Identifier: Apache-2.0
"""Sixteen threads of C code that do nothing but malloc and free, called once from Python."""
import ctypes
import os
from pathlib import Path

import pyperf

N_THREADS = 16
PAIRS = 2000  # of each thread, in a loop

# A call of a CDLL lets the GIL go. Built beside this file when the program was laid out.
library = ctypes.CDLL(os.fspath(Path(__file__).resolve().parent / "libmalloc_threads.so"))
library.malloc_threads.argtypes = [ctypes.c_int, ctypes.c_uint64]


def churn(loops: int) -> None:
    if not library.malloc_threads(N_THREADS, PAIRS * loops):
        raise RuntimeError("a thread could not be started")


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("malloc_threads", churn)
