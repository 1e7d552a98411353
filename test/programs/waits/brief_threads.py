# SPDX-License-Identifier: Apache-2.0
"""Very many threads of a millisecond or two, of two kinds; tells their CPU time by kind.

Most of them are over before any tick can meet them.
"""
import json
import sys
import threading
import time

N = int(sys.argv[1]) if len(sys.argv) > 1 else 300
spent = {"left": 0.0, "right": 0.0}


def left():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.001:
        pass
    spent["left"] += time.thread_time()


def right():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.002:
        pass
    spent["right"] += time.thread_time()


for _ in range(N):
    for function in (left, right):
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()
print(json.dumps(spent))
