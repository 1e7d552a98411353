# SPDX-License-Identifier: Apache-2.0
"""Garbage in cycles and exceptions through several calls: each costs its own lines (C19)."""
import gc
import time

import clocks


class Node:
    pass


def make_cycles(n):  # @cycles
    for _ in range(n):
        a, b = Node(), Node()
        a.other, b.other = b, a


def collect():
    gc.collect()  # @collect


def deep(n):  # @throw
    if n == 0:
        raise ValueError(n)
    deep(n - 1)


def catch():  # @throw
    for _ in range(100):
        try:
            deep(10)
        except ValueError:
            pass


def spend(tag, function, *arguments):
    begin = time.thread_time()
    function(*arguments)
    clocks.spent[tag] = clocks.spent.get(tag, 0.0) + time.thread_time() - begin


def main(end):
    gc.disable()
    with clocks.wait("none", "sleep"):
        pass
    while time.perf_counter() < end:
        spend("cycles", make_cycles, 5000)
        spend("collect", collect)
        for _ in range(20):
            spend("throw", catch)


clocks.run(main)
