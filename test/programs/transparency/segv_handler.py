# SPDX-License-Identifier: Apache-2.0
"""Shows a handler of its own for SIGSEGV in C."""
import ctypes
import os
import signal

libc = ctypes.CDLL(None)
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)


def handler(number):
    os.write(1, b"caught %d\n" % number)
    os._exit(42)


kept = HANDLER(handler)
libc.signal.restype = ctypes.c_void_p
print(libc.signal(signal.SIGSEGV, kept), flush=True)
ctypes.string_at(0)
