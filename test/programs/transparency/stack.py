# SPDX-License-Identifier: Apache-2.0
"""Prints its own stack, and how deep it can grow."""
import inspect
import sys
import traceback


def deeper(depth):
    try:
        return deeper(depth + 1)
    except RecursionError:
        return depth


print([(frame.filename, frame.lineno, frame.function) for frame in inspect.stack()])
traceback.print_stack()
print(deeper(0), sys._getframe().f_back, sys._getframe().f_trace)
