# SPDX-License-Identifier: Apache-2.0
"""How often memory is asked for: a list that grows by one, beside one that is made as long as it is."""
import math
import sys

import truth

N, ROUNDS = 200000, 40
ONE = [None]  # a list of one has a small block of its own


def grow():
    for _ in range(ROUNDS):
        items = []
        for _ in range(N):
            items.append(None)  # @grow
    return items


def made():
    for _ in range(ROUNDS):
        items = ONE * N  # @made
    return items


def growths():
    """The sizes to which the list of grow() grows, one after the other."""
    items, sizes = [], [0]
    for _ in range(N):
        items.append(None)
        size = sys.getsizeof(items) - sys.getsizeof([])
        if size != sizes[-1]:
            sizes.append(size)
    return sizes[1:]


def chance_of(part):
    """That an allocation is sampled, of so many parts of the mean."""
    return 1 if part >= 1 else part - max(0, part - 0.5) ** 2 / 2


def count_error(sizes, mean=32768):
    """The standard deviation of a number of allocations that is estimated from samples, at most."""
    chances = [chance_of(size / mean) for size in sizes]
    return math.sqrt(sum((1 - chance) / chance for chance in chances))


sizes = ROUNDS * growths()
truth.line("grow", count=len(sizes), count_error=count_error(sizes),
           allocated=ROUNDS * max(sizes), live=0, python=1)
truth.line("made", count=ROUNDS, count_error=0, allocated=ROUNDS * 8 * N, live=0, python=1)
grow()
made()
truth.tell()
