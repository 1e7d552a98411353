# SPDX-License-Identifier: Apache-2.0
"""Works at the bottom of a recursion as deep as the second argument says."""
import sys
import threading

import truth


def down(n):
    if n > 1:
        return down(n - 1)
    return bottom()


def bottom():  # @bottom
    x, begin, duration_ns = 1, truth.clock(), int(truth.seconds() * truth.NS)
    while truth.clock() - begin < duration_ns:
        for i in range(2000):
            x = (x * 31 + i) % 65521
    return (truth.clock() - begin) / truth.NS


def start(depth):
    spent = down(depth)
    truth.tell(spent={"bottom": spent}, depth=depth, function="down", entry="start")


def main():
    depth = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    sys.setrecursionlimit(depth + 1000)
    threading.stack_size(256 << 20)
    thread = threading.Thread(target=start, args=(depth,))
    thread.start()
    thread.join()


main()
