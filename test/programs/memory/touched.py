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


def most_so_far():
    """Imports occupy more for a moment than they do in the end."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


percent, before, imports = int(sys.argv[1]), occupied(), most_so_far()
if zeros and percent % 2 == 0:
    block = zeros(SIZE, dtype="u1")  # @array
    truth.line("array", allocated=SIZE, live=SIZE, python=0)
else:
    block = mmap.mmap(-1, SIZE)  # @map
    truth.line("map", allocated=SIZE, live=SIZE, python=0)
for at in range(0, SIZE * percent // 100, mmap.PAGESIZE):
    block[at] = 1
time.sleep(0.5)  # the kernel is asked every tenth of a second
truth.resident(max(imports, before + SIZE * percent // 100))
truth.tell()
