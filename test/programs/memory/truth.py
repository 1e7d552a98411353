# SPDX-License-Identifier: Apache-2.0
"""A program tells what it allocated, in MiB, through the file that $TRUTH names."""
import json
import os

MIB = 1 << 20
told = {"lines": {}, "peak": None, "resident": None}


def line(tag, **numbers):
    """allocated, live, copied in bytes; python as a fraction; count of allocations, its error."""
    plain = ("python", "count", "count_error")
    told["lines"][tag] = {key: value if key in plain else value / MIB
                          for key, value in numbers.items()}


def peak(n_bytes):
    told["peak"] = n_bytes / MIB


def resident(n_bytes):
    """What the kernel should say the process occupies."""
    told["resident"] = n_bytes / MIB


def tell():
    with open(os.environ["TRUTH"], "w") as file:
        json.dump(told, file)
