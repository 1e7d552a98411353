# SPDX-License-Identifier: Apache-2.0
"""Lives through many faults by a handler in C, in two threads, while Python works: LIBRARY."""
import ctypes
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
caught = []


def fault_and_work():
    for _ in range(20):
        caught.append(library.faults_run(100))
        sum(i * i for i in range(20000))


threads = [threading.Thread(target=fault_and_work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(caught), min(caught))
