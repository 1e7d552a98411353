# SPDX-License-Identifier: Apache-2.0
"""Three lines that cost time in three different ways; see which by `make demo`."""
import time
import zlib


def collatz_steps(start: int) -> int:
    """Python code: every step is bytecode of this loop."""
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


def wait(seconds: float) -> None:
    """No code at all: the program sleeps."""
    time.sleep(seconds)


def main() -> None:
    print("longest chain below 120000 starts at", longest_chain(120_000))
    print("compressed to", compress(b"scalene looks at every line " * 4096, 2000), "bytes in all")
    wait(0.5)


if __name__ == "__main__":
    main()
