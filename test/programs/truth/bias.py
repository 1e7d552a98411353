# SPDX-License-Identifier: Apache-2.0
"""The same work written inline and through a helper, in a share given as the second argument."""
import sys

import truth


def inline():  # @inline
    x = 1
    for i in range(400):
        x = (x * 31 + i) & 0xFFFF
        x = (x * 17 + i) & 0xFFFF
    return x


def helper(x, i):  # @calling
    x = (x * 31 + i) & 0xFFFF
    return (x * 17 + i) & 0xFFFF


def calling():  # @calling
    x = 1
    for i in range(400):
        x = helper(x, i)
    return x


def main():
    share = float(sys.argv[2]) if len(sys.argv) > 2 else 0.5
    weights = {"inline": share, "calling": 1.0 - share}
    parts = {"inline": inline, "calling": calling}
    truth.tell(spent=truth.rotate(parts, truth.seconds(), weights, slice_s=0.2))


main()
