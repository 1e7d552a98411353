# SPDX-License-Identifier: Apache-2.0
"""Threads with stacks of 64 KiB, and a signal handler on one of 16 KiB, at work: LIBRARY."""
import ctypes
import faulthandler
import sys
import threading
import time

faulthandler.enable()  # has a stack of its own, too
done = []


def work():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.2:
        sorted(range(1000), key=lambda n: -n)
    done.append(threading.current_thread().name)


threading.stack_size(65536)
threads = [threading.Thread(target=work, name=f"small {i}") for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(done))
library = ctypes.CDLL(sys.argv[1])
library.alternate_stack.argtypes = [ctypes.c_double]
print("bytes written over the end of the small stack:", library.alternate_stack(0.3))
