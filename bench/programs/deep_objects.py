# SPDX-License-Identifier: Apache-2.0
"""Small objects and a little text made sixty calls deep, where the stack of a sample is long."""
import json

import pyperf

DEPTH = 60


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y

    def plus(self, other: "Point") -> "Point":
        return Point(self.x + other.x, self.y + other.y)


def add_up() -> str:
    total, kept = Point(0, 0), {}
    for i in range(1500):
        total = total.plus(Point(i, 1))
        kept[i & 255] = total.x
    return json.dumps(list(kept.values())[:50])


def descend(depth: int) -> str:
    return descend(depth - 1) if depth else add_up()


def compute(loops: int) -> None:
    for _ in range(loops):
        descend(DEPTH)


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("deep_objects", compute)
