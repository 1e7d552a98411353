# SPDX-License-Identifier: Apache-2.0
"""A hash of megabytes, which is native code, beside a sum of squares, which is Python."""
import hashlib

import truth

data = bytes(range(256)) * 8192


def hashing():  # @native
    return hashlib.sha256(data).digest()


def summing():  # @python
    total = 0
    for i in range(3000):
        total += i * i
    return total


truth.tell(spent=truth.rotate({"native": hashing, "python": summing}, truth.seconds()))
