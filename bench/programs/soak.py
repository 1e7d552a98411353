# SPDX-License-Identifier: Apache-2.0
"""Eight threads, four of Python and four of C, that allocate and free so many gigabytes in all.

Arguments: the C library, gigabytes, seconds over which they are spread (0: as fast as it goes), "at once" or "in
turn": one thread after the other, so that what is resident at most does not hang on how they meet. Prints that, and
what of it is the agent's at the end, which never gives any back: its library, rings and control block, in KiB.
"""
import ctypes
import random
import sys
import threading
import time

PYTHON_SHARE = 0.1
SIZES = (40, 300, 300, 5000, 70000, 1000000)


def left(dice: random.Random, depth: int, n: int) -> object:
    if depth:
        return (left if dice.random() < 0.5 else right)(dice, depth - 1, n)
    return bytearray(n)


def right(dice: random.Random, depth: int, n: int) -> object:
    if depth:
        return (left if dice.random() < 0.5 else right)(dice, depth - 1, n)
    return bytes(n)


def objects(n_bytes: float, seed: int) -> None:
    dice = random.Random(seed)
    kept: list = [None] * 300
    total = 0
    while total < n_bytes:
        n = dice.choice(SIZES)
        for _ in range(max(1, 100000 // n)):
            kept[dice.randrange(300)] = left(dice, dice.randrange(9), n)
            total += n


def spread(work, n_bytes: float, seed: int, seconds: int) -> None:
    """A part of the work in each of so many seconds."""
    begin, n_parts = time.monotonic(), max(1, seconds)
    for i in range(n_parts):
        work(int(n_bytes / n_parts), seed * n_parts + i)
        time.sleep(max(0, begin + (i + 1) * seconds / n_parts - time.monotonic()))


def resident_of_the_agent() -> int:
    """Its data lie behind its library, in mappings without a name."""
    total, is_ours, end = 0, False, ""
    with open("/proc/self/smaps") as file:
        for line in file:
            words = line.split()
            if not words[0].endswith(":"):
                begin, after = words[0].split("-")
                path = words[5] if len(words) > 5 else ""
                is_ours = "libscalene" in path or "/scalene-" in path or (is_ours and not path and begin == end)
                end = after
            elif words[0] == "Rss:" and is_ours:
                total += int(words[1])
    return total


def main() -> None:
    native, n_bytes, seconds = ctypes.CDLL(sys.argv[1]), float(sys.argv[2]) * 1e9, int(sys.argv[3])
    native.soak.argtypes = (ctypes.c_uint64, ctypes.c_uint64)
    works = [(objects, n_bytes * PYTHON_SHARE / 4), (native.soak, n_bytes * (1 - PYTHON_SHARE) / 4)]
    threads = [threading.Thread(target=spread, args=(work, n, i + 1, seconds)) for work, n in works for i in range(4)]
    for thread in threads:
        thread.start()
        if sys.argv[4] == "in turn":
            thread.join()
    for thread in threads:
        thread.join()
    with open("/proc/self/status") as file:
        print(next(line.split()[1] for line in file if line.startswith("VmHWM")), resident_of_the_agent())


main()
