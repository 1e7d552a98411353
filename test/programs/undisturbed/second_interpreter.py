# SPDX-License-Identifier: Apache-2.0
"""Starts threads of C code, without the GIL, after there has been a second interpreter.

Python no longer knows then who has the GIL: PyGILState_Check says yes to everybody.
"""
import ctypes
import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

libc = ctypes.CDLL(None)  # its functions are called without the GIL, those of PyDLL with it
libpython = ctypes.PyDLL(None)
libc.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]


def start_threads(library):
    """Whether threads that run a function of the libc could be started and joined."""
    results = set()
    for _ in range(10):
        thread = ctypes.c_ulong()
        results.add(library.pthread_create(ctypes.byref(thread), None, libc.getpid, None))
        results.add(libc.pthread_join(thread, None))
    return results


interpreters.destroy(interpreters.create())
print(start_threads(libc), start_threads(libpython))
for number in range(3):
    thread = threading.Thread(target=lambda: print("thread", number), name=f"after-{number}")
    thread.start()
    thread.join()
