# SPDX-License-Identifier: Apache-2.0
"""Source that places.py compiles and runs by exec() under this file's own name."""

begin = clock()  # noqa: F821 - given by the caller
total = 0
for i in range(400):  # @executed
    total += i * i % 7  # @executed
took = clock() - begin  # noqa: F821
