# SPDX-License-Identifier: Apache-2.0
"""Loops that call nothing: arithmetic, containers, attributes, branches: all Python's own work."""
import truth


def arithmetic():  # @arithmetic
    x, i = 1, 0
    while i < 2000:
        x = (x * 31 + i) % 65521
        i += 1
    return x


def containers():  # @containers
    row = [0] * 64
    table = {}
    for i in range(2000):
        row[i & 63] += i
        table[i & 31] = row[i & 63] & 255
    return table


class Point:
    x = 0
    y = 0


def attributes():  # @attributes
    point = Point()
    for i in range(2000):
        point.x = point.y + i
        point.y = point.x & 1023
    return point


def branches():  # @branches
    low = middle = high = 0
    for i in range(2000):
        if i % 7 < 2:
            low += 1
        elif i % 7 < 5 and i & 1:
            middle += 1
        else:
            high += 1
    return low, middle, high


PARTS = {
    "arithmetic": arithmetic,
    "containers": containers,
    "attributes": attributes,
    "branches": branches,
}
truth.tell(spent=truth.rotate(PARTS, truth.seconds()))
