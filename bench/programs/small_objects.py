# SPDX-License-Identifier: Apache-2.0
"""Nothing but allocation: lists of small objects, made and thrown away."""
import pyperf


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x: int, y: float) -> None:
        self.x = x
        self.y = y


def make_lists(loops: int) -> None:
    for _ in range(loops):
        for _ in range(10):
            [Point(i, i + 0.5) for i in range(1000)]


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("small_objects", make_lists)
