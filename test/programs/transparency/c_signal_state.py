# SPDX-License-Identifier: Apache-2.0
"""Prints the dispositions and the mask that C code asks for."""
import ctypes
import signal

libc = ctypes.CDLL(None, use_errno=True)
for number in range(1, 65):
    action = (ctypes.c_char * 152)()
    answer = libc.sigaction(number, None, action)
    handler = int.from_bytes(bytes(action[:8]), "little")
    flags = int.from_bytes(bytes(action[136:140]), "little")
    print(number, answer, {0: "default", 1: "ignore"}.get(handler, "handler"), hex(flags))
