# SPDX-License-Identifier: Apache-2.0
"""A small program with three faults planted in it: a slow line, a leak, a needless copy.

    scalene run example/demo.py
    scalene view --cli

find all three.
"""
import time
import zlib

SEEN = {}


def collatz_steps(start: int) -> int:
    """The slow line: every step is bytecode of this loop."""
    steps = 0
    while start != 1:
        start = start // 2 if start % 2 == 0 else 3 * start + 1
        steps += 1
    return steps


def longest_chain(limit: int) -> int:
    return max(range(1, limit), key=collatz_steps)


def compress(text: bytes, times: int) -> int:
    """Native code: one line of Python that spends its time inside zlib."""
    return sum(len(zlib.compress(text, 9)) for _ in range(times))


def answer(request: int) -> int:
    """The leak: every answer is kept, and none is ever asked for again."""
    SEEN[request] = bytearray(1_000_000)
    return len(SEEN[request])


def checksum(data: bytearray, blocks: int) -> int:
    """The copy: each slice copies all that is left; a memoryview would copy nothing."""
    total = 0
    for i in range(blocks):
        total += data[i:][0]
    return total


def wait(seconds: float) -> None:
    """No code at all: the program sleeps."""
    time.sleep(seconds)


def main() -> None:
    text, data = b"scalene looks at every line " * 4096, bytearray(1_000_000)
    for request in range(200):
        longest_chain(2000)
        compress(text, 2)
        checksum(data, 60)
        if request % 5 == 0:
            answer(request)
        wait(0.002)
    print("kept", len(SEEN), "answers")


if __name__ == "__main__":
    main()
