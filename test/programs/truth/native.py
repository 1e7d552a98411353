# SPDX-License-Identifier: Apache-2.0
"""Work done by C code: sorting, compression and, where numpy is there, a product of matrices."""
import random
import zlib

import truth

try:
    import numpy
except ImportError:
    numpy = None

random.seed(1)
numbers = [random.random() for _ in range(8000)]
text = bytes(random.choice(b"abcdefgh ") for _ in range(60000))


def sorting():  # @sorted
    return sorted(numbers)


def compressing():  # @zlib
    return zlib.compress(text)


def parts():
    found = {"sorted": sorting, "zlib": compressing}
    if numpy is None:
        return found
    a = numpy.linspace(0.0, 1.0, 250 * 250).reshape(250, 250)
    b, c = a.T.copy(), numpy.empty((250, 250))

    def product():  # @numpy
        return numpy.dot(a, b, out=c)

    found["numpy"] = product
    return found


truth.tell(spent=truth.rotate(parts(), truth.seconds()), has_numpy=numpy is not None)
