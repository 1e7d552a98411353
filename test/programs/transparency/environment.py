# SPDX-License-Identifier: Apache-2.0
"""Prints the environment, as Python and as C see it."""
import ctypes
import os

for name, value in sorted(os.environb.items()):
    print(name, value)
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
strings = []
while environ[len(strings)] is not None:
    strings.append(environ[len(strings)])
print(strings)
