# SPDX-License-Identifier: Apache-2.0
"""Copies of many kinds, and views, which copy nothing."""
import io
import pickle

import truth
from truth import MIB

N = 8
source = bytearray(4 * MIB)
text = "x" * (3 * MIB)
parts = [bytes(3 * MIB // 2) for _ in range(4)]
target = bytearray(4 * MIB)
for _ in range(N):
    whole = bytes(source)  # @bytes
    mutable = bytearray(whole)  # @bytearray
    piece = whole[1:3 * MIB + 1]  # @slice
    half = text[1:2 * MIB + 1]  # @text_slice
    joined = b"".join(parts)  # @join
    added = whole + piece  # @add
    memoryview(target)[:] = whole  # @through_view
    flat = memoryview(source).tobytes()  # @tobytes
    encoded = text.encode()  # @encode
    view = memoryview(source)[MIB:]  # @view
    half_view = view[::2]  # @stepped_view
    same = bytes(whole)  # @same
truth.line("bytes", copied=N * 4 * MIB)
truth.line("bytearray", copied=N * 4 * MIB)
truth.line("slice", copied=N * 3 * MIB)
truth.line("text_slice", copied=N * 2 * MIB)
truth.line("join", copied=N * 6 * MIB)
truth.line("add", copied=N * 7 * MIB)
truth.line("through_view", copied=N * 4 * MIB)
truth.line("tobytes", copied=N * 4 * MIB)
truth.line("encode", copied=N * 3 * MIB)
truth.line("view", copied=0)
truth.line("stepped_view", copied=0)
truth.line("same", copied=0)
for _ in range(N):
    io.BytesIO().write(source)  # @file
    pickle.dumps(whole, protocol=4)  # @pickle
truth.line("file", copied=N * 4 * MIB)
truth.line("pickle", copied=N * 4 * MIB)
try:
    import numpy
except ImportError:
    pass
else:
    array, other = numpy.ones(MIB), numpy.ones(MIB)
    for _ in range(N):
        again = array.copy()  # @array
        other[:] = array  # @assign
        both = numpy.concatenate((array, other))  # @concatenate
        back = array.tobytes()  # @array_bytes
        seen = array[::2].reshape(-1, 2).T  # @array_view
        wrapped = numpy.frombuffer(back)  # @wrapped
    truth.line("array", copied=N * 8 * MIB)
    truth.line("assign", copied=N * 8 * MIB)
    truth.line("concatenate", copied=N * 16 * MIB)
    truth.line("array_bytes", copied=N * 8 * MIB)
    truth.line("array_view", copied=0)
    truth.line("wrapped", copied=0)
truth.tell()
