# SPDX-License-Identifier: Apache-2.0
"""Prints how often the threads of blocked.c were interrupted: LIBRARY WAY RESTARTING SECONDS."""
import ctypes
import json
import sys
import threading
import time

KINDS = ("nanosleep", "poll", "sem_wait", "read", "epoll_wait")
WAYS = ("long", "short", "signals")
N_SIGNALS = 5
is_over = False


def stir():
    """Python at work now and then, so that there is something to measure."""
    while not is_over:
        sum(range(50000))
        time.sleep(0.01)


library, way, is_restarting, seconds = sys.argv[1:]
counts = ((ctypes.c_uint * 2) * len(KINDS))()
thread = threading.Thread(target=stir)
thread.start()
failed = ctypes.CDLL(library).blocked_run(
    WAYS.index(way), ctypes.c_bool(is_restarting == "yes"), ctypes.c_double(float(seconds)),
    N_SIGNALS if way == "signals" else 0, counts)
is_over = True
thread.join()
assert not failed
rows = [{"calls": n_calls, "interrupted": n} for n_calls, n in counts]
print(json.dumps(dict(zip(KINDS, rows))))
