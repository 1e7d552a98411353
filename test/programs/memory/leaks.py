# SPDX-License-Identifier: Apache-2.0
"""Programs that leak and programs that do not, by argument: NAME SECONDS. Lines that leak are
tagged with the program's name."""
import collections
import ctypes
import sys
import time

STEP_S = 0.01
NAME, SECONDS = sys.argv[1], float(sys.argv[2])
START = time.monotonic()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]


def part():
    """How much of the run is over."""
    return (time.monotonic() - START) / SECONDS


def steps():
    """Parts of the run in step with the clock: after a delay the missing ones come at once."""
    number = 0
    while part() < 1:
        yield part()
        number += 1
        pause_s = START + number * STEP_S - time.monotonic()
        time.sleep(pause_s if pause_s > 0 else 0)


def in_list(size):
    kept = []
    for _ in steps():
        kept.append(bytearray(size))  # @leak
    return kept


def in_dict(size):
    kept = {}
    for _ in steps():
        kept[len(kept)] = bytearray(size)  # @leak
    return kept


def in_closure(size):
    def make(data, before):  # @grows
        return lambda: (data, before)  # @grows

    last = None
    for _ in steps():
        last = make(bytearray(size), last)  # @leak
    return last


def native(size):
    for _ in steps():
        libc.malloc(size)  # @leak


def beside_churn(size):
    kept = []
    for _ in steps():
        for _ in range(50):
            bytearray(size)
        kept.append(bytearray(size))  # @leak
    return kept


def dropped(size):
    """Everything goes when this returns, just before the end."""
    kept = []
    for _ in steps():
        kept.append(bytearray(size))  # @leak


def warm_up(size):
    cache = {}
    for now in steps():
        if now < 0.3:
            cache[len(cache)] = bytearray(size)
    return cache


def least_recent(size):
    cache = collections.OrderedDict()
    for i, _ in enumerate(steps()):
        cache[i] = bytearray(size)
        if len(cache) > 40:
            cache.popitem(last=False)
    return cache


def ring(size):
    buffer = collections.deque(maxlen=50)
    for _ in steps():
        buffer.append(bytearray(size))
    return buffer


def freed(size):
    for _ in steps():
        data = [bytearray(size) for _ in range(20)]
        del data


def arena(size):
    """Small objects go, but a few hold their arenas."""
    held = [bytes(400) for _ in range(40000)][::100]
    for _ in steps():
        [bytes(400) for _ in range(200)]
    return held


def shrinking(size):
    kept = []
    for now in steps():
        if now < 0.5:
            kept.append(bytearray(size))
        elif kept:
            kept.pop()
    return kept


def released(size):
    kept = []
    for now in steps():
        kept.append(bytearray(size))
        if len(kept) > 0.15 * SECONDS / STEP_S:
            kept.clear()
    return kept


def start_up(size):
    data = [bytearray(size) for _ in range(2000)]
    for _ in steps():
        bytearray(size)
    return data


FAST, SLOW = 10500, 525  # bytes a step: 1 MB/s and 50 KB/s
PROGRAMS = {
    "list": (in_list, FAST), "dict": (in_dict, FAST), "closure": (in_closure, FAST),
    "native": (native, FAST), "beside_churn": (beside_churn, FAST),
    "dropped": (dropped, FAST),
    "slow_list": (in_list, SLOW), "slow_dict": (in_dict, SLOW), "slow_closure": (in_closure, SLOW),
    "slow_native": (native, SLOW),
    "warm_up": (warm_up, FAST), "least_recent": (least_recent, FAST), "ring": (ring, FAST),
    "freed": (freed, FAST), "arena": (arena, FAST), "shrinking": (shrinking, FAST),
    "released": (released, FAST), "start_up": (start_up, FAST),
}
function, size = PROGRAMS[NAME]
held = function(size)  # until the very end
