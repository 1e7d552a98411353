# SPDX-License-Identifier: Apache-2.0
"""Handlers in C for the signals a profiler uses, with every flag, while samples come: LIBRARY."""
import ctypes
import signal
import sys

SA_SIGINFO, SA_ONSTACK, SA_RESTART, SA_NODEFER, SA_RESETHAND = 4, 1 << 27, 1 << 28, 1 << 30, 1 << 31
FLAGS = (0, SA_SIGINFO, SA_ONSTACK, SA_NODEFER, SA_RESETHAND, SA_SIGINFO | SA_RESTART,
         SA_ONSTACK | SA_NODEFER | SA_SIGINFO | SA_RESETHAND)
NUMBERS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGTRAP, signal.SIGRTMAX - 2, signal.SIGUSR1)
MASKS = (0, 1 << signal.SIGUSR2 - 1, 2**64 - 1)
BY_RETURN, BY_LONGJMP, BY_LONGJMP_AFTER_FAULT = range(3)


class Seen(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "n_calls", "mask_inside", "is_on_other_stack", "mask_after", "flags_kept", "mask_kept",
        "is_kept")]


library = ctypes.CDLL(sys.argv[1])


def as_int(flags):
    return flags - (1 << 32) if flags >> 31 else flags


def attempt(number, flags, mask, way):
    seen = Seen()
    library.handlers_try(int(number), as_int(flags), ctypes.c_uint64(mask), way, ctypes.byref(seen))
    return " ".join(f"{name}={getattr(seen, name):x}" for name, _ in Seen._fields_)


for number in NUMBERS:
    for flags in FLAGS:
        for mask in MASKS:
            for way in (BY_RETURN, BY_LONGJMP, BY_LONGJMP_AFTER_FAULT):
                if way == BY_LONGJMP_AFTER_FAULT and number != signal.SIGSEGV:
                    continue
                answers = {attempt(number, flags, mask, way) for _ in range(20)}
                print(int(number), hex(flags), hex(mask), way, sorted(answers))
for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGTRAP, signal.SIGUSR1):
    for flags in (0, SA_RESTART):
        print(int(number), hex(flags), "cut short:", library.handlers_cut_short(int(number), flags))
