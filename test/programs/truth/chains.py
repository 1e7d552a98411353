# SPDX-License-Identifier: Apache-2.0
"""Two call chains in quick alternation: a stack that mixes them was torn while it was read.

`calls` tells, for each function, which functions can have called it; `entry` is the outermost.
"""
import truth


def leaf_a(x):
    x = x * 3 + 1
    return x & 1023


def leaf_b(x):
    x = x * 5 + 2
    return x & 1023


def middle_a(x):
    return leaf_a(x) + 1


def middle_b(x):
    return leaf_b(x) + 2


def hot_a(x):
    x = middle_a(x)
    return leaf_a(x)


def hot_b(x):
    x = middle_b(x)
    return leaf_b(x)


def alternate():
    x = 0
    for _ in range(200):
        x = hot_a(x)
        x = hot_b(x)
    return x


CALLS = {
    "alternate": ["main"],
    "hot_a": ["alternate"],
    "hot_b": ["alternate"],
    "middle_a": ["hot_a"],
    "middle_b": ["hot_b"],
    "leaf_a": ["hot_a", "middle_a"],
    "leaf_b": ["hot_b", "middle_b"],
    "main": ["<module>"],
}


def main():
    end = truth.clock() + int(truth.seconds() * truth.NS)
    while truth.clock() < end:
        alternate()


main()
truth.tell(calls=CALLS, entry="<module>")
