# SPDX-License-Identifier: Apache-2.0
"""Prints the text of an uncaught exception."""
def inner(number):
    return 1 / number


def outer():
    try:
        inner(0)
    except ZeroDivisionError as error:
        raise KeyError("not there") from error


outer()
