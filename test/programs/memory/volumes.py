# SPDX-License-Identifier: Apache-2.0
"""Memory that is kept, comes and goes, is large for a moment, and is made of small objects."""
import sys

import truth
from truth import MIB

keep = [None] * 250000


def large():
    return bytearray(40 * MIB)  # @large


def churn():
    for _ in range(30):
        buffer = bytearray(2 * MIB)  # @churn
        del buffer


def spike():
    buffer = bytearray(90 * MIB)  # @spike
    del buffer


def small():
    size = sys.getsizeof(bytes(1000))
    for i in range(250000):
        keep[i] = bytes(1000)  # @small
    truth.line("small", allocated=250000 * size, live=250000 * size, python=1)
    return 250000 * size


def temporary():
    size = sys.getsizeof(bytes(2000))
    for _ in range(160000):
        bytes(2000)  # @temporary
    truth.line("temporary", allocated=160000 * size, live=0, python=1)


def arrays():
    try:
        import numpy
    except ImportError:
        return None
    kept = numpy.ones(4 * MIB)  # @array
    for _ in range(10):
        numpy.ones(MIB)  # @arrays
    truth.line("array", allocated=32 * MIB, live=32 * MIB, python=0)
    truth.line("arrays", allocated=80 * MIB, live=0, python=0)
    return kept


held = large()
churn()
spike()
n_small = small()
temporary()
held_array = arrays()
truth.line("large", allocated=40 * MIB, live=40 * MIB, python=1)
truth.line("churn", allocated=60 * MIB, live=0, python=1)
truth.line("spike", allocated=90 * MIB, live=0, python=1)
if held_array is None:  # numpy itself keeps some memory, which is nobody's truth
    truth.peak(40 * MIB + n_small)
truth.tell()
