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


peak, at_peak, held = {"early": early, "final": final, "two": two, "climb": climb,
                       "moment": moment}[sys.argv[1]]()
truth.peak(peak * MIB)
for tag, size in at_peak.items():
    truth.line(tag, at_peak=size * MIB)
truth.tell()
