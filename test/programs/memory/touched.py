# SPDX-License-Identifier: Apache-2.0
"""512 MiB are asked for, and of them as many percent touched as the argument says."""
import mmap
import sys
import time

import truth
from truth import MIB

try:
    from numpy import zeros
except ImportError:
    zeros = None

SIZE = 512 * MIB


def occupied():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


percent, before = int(sys.argv[1]), occupied()
if zeros and percent % 2 == 0:
    block = zeros(SIZE, dtype="u1")  # @array
    truth.line("array", allocated=SIZE, live=SIZE, python=0)
else:
    block = mmap.mmap(-1, SIZE)  # @map
    truth.line("map", allocated=SIZE, live=SIZE, python=0)
for at in range(0, SIZE * percent // 100, mmap.PAGESIZE):
    block[at] = 1
time.sleep(0.5)  # the kernel is asked every tenth of a second
truth.resident(before + SIZE * percent // 100)
truth.tell()
