# SPDX-License-Identifier: Apache-2.0
"""A thousand threads of a millisecond, one after the other: seven of one kind to three of another.

Tells its CPU time before the first of them and during all, and what was spent in the two functions.
"""
import json
import sys
import threading
import time

N = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
spent = {"often": 0.0, "seldom": 0.0}


def often():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.001:
        pass
    spent["often"] += time.thread_time() - begin


def seldom():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.001:
        pass
    spent["seldom"] += time.thread_time() - begin


before = time.process_time()
for i in range(N):
    thread = threading.Thread(target=often if i % 10 < 7 else seldom)
    thread.start()
    thread.join()
print(json.dumps({"before": before, "cpu": time.process_time() - before, "spent": spent}))
