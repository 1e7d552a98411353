# SPDX-License-Identifier: Apache-2.0
"""Copies of many kinds, and views, which copy nothing."""
import truth
from truth import MIB

N = 8
source = bytearray(4 * MIB)
parts = [bytes(3 * MIB // 2) for _ in range(4)]
for _ in range(N):
    whole = bytes(source)  # @bytes
    piece = whole[1:3 * MIB + 1]  # @slice
    joined = b"".join(parts)  # @join
    view = memoryview(source)[MIB:]  # @view
truth.line("bytes", copied=N * 4 * MIB)
truth.line("slice", copied=N * 3 * MIB)
truth.line("join", copied=N * 6 * MIB)
truth.line("view", copied=0)
try:
    import numpy
except ImportError:
    pass
else:
    array = numpy.ones(MIB)
    for _ in range(N):
        again = array.copy()  # @array
    truth.line("array", copied=N * 8 * MIB)
truth.tell()
