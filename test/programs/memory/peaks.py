# SPDX-License-Identifier: Apache-2.0
"""The memory is largest at the start, in between, at the end, or after a climb; by argument."""
import sys

import truth
from truth import MIB


def early():
    a = bytearray(100 * MIB)  # @early_a
    b = bytearray(25 * MIB)  # @early_b
    del b
    c = bytearray(24 * MIB)  # @early_c
    del a
    d = bytearray(60 * MIB)  # @early_d
    return 125, {"early_a": 100, "early_b": 25, "early_c": 0, "early_d": 0}, (c, d)


def final():
    a = bytearray(30 * MIB)  # @final_a
    b = bytearray(40 * MIB)  # @final_b
    del b
    c = bytearray(80 * MIB)  # @final_c
    return 110, {"final_a": 30, "final_b": 0, "final_c": 80}, (a, c)


def two():
    a = bytearray(100 * MIB)  # @two_a
    del a
    b = bytearray(110 * MIB)  # @two_b
    del b
    c = bytearray(104 * MIB)  # @two_c
    del c
    return 110, {"two_a": 0, "two_b": 110, "two_c": 0}, ()


def climb():
    blocks = []
    for i in range(150):
        blocks.append(bytearray(MIB))  # @climb_a
        bytes(MIB // 2)  # @climb_b
    return 150.5, {"climb_a": 150, "climb_b": 0.5}, blocks


def moment():
    a = bytearray(20 * MIB)  # @moment_a
    bytes(200 * MIB)  # @moment_b
    return 220, {"moment_a": 20, "moment_b": 200}, a


def calls():
    """Of three calls of one line only the first reaches the peak."""
    def bar():
        return bytearray(25 * MIB)  # @calls_bar

    foo = bytearray(100 * MIB)  # @calls_foo
    bar()
    del foo
    bar()
    bar()
    return 125, {"calls_foo": 100, "calls_bar": 25}, ()


def spikes():
    """Every spike is a little higher than the one before."""
    base = []
    for i in range(20):
        base.append(bytearray(4 * MIB))  # @spikes_base
        bytearray(120 * MIB)  # @spikes_spike
    return 200, {"spikes_base": 80, "spikes_spike": 120}, base


def small():
    """Made of small objects, and followed by a long plateau below it."""
    kept = [bytes(1000) for _ in range(100000)]  # @small_kept
    size = sum(sys.getsizeof(one) for one in kept) / MIB + sys.getsizeof(kept) / MIB
    del kept[20000:]  # @small_cut
    for _ in range(100):
        bytearray(4 * MIB)  # @small_plateau
    cut = 80000 * 8 / MIB  # the list copies its references before it lets go of the objects
    return size + cut, {"small_kept": size, "small_cut": cut, "small_plateau": 0}, kept


def nothing():
    """What is live then is the interpreter's own, and what the imports above hold."""
    return 0, {}, ()


peak, at_peak, held = {"early": early, "final": final, "two": two, "climb": climb, "moment": moment,
                       "calls": calls, "spikes": spikes, "small": small, "nothing": nothing}[sys.argv[1]]()
truth.peak(peak * MIB)
for tag, size in at_peak.items():
    truth.line(tag, at_peak=size * MIB)
truth.tell()
