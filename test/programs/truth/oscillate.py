# SPDX-License-Identifier: Apache-2.0
"""Generators and coroutines whose depth swings up and down below one entry function."""
import truth


def countdown(n):  # @generators
    if n:
        yield n
        yield from countdown(n - 1)


# Each takes its turn often enough that reading the clock in between is nothing to it.
TURNS = range(20)


def sweep():  # @generators
    for _ in TURNS:
        sum(countdown(12))


class Pause:  # @coroutines
    def __await__(self):
        yield


async def deep(n):  # @coroutines
    if not n:
        await Pause()
        return 1
    return await deep(n - 1) + 1


def drive():  # @coroutines
    for _ in TURNS:
        task = deep(12)
        try:
            while True:
                task.send(None)
        except StopIteration:
            pass


def entry():
    parts = {"generators": sweep, "coroutines": drive}
    return truth.rotate(parts, truth.seconds(), slice_s=0.02)


# Every stack with one of these functions must show the entry too.
BELOW = ["countdown", "sweep", "__await__", "deep", "drive"]
truth.tell(spent=entry(), entry="entry", below=BELOW)
