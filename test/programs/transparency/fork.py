# SPDX-License-Identifier: Apache-2.0
"""Shows children by fork, with threads and without."""
import os
import sys
import threading
import warnings

warnings.simplefilter("always")
for status in (0, 3, 255):
    child = os.fork()
    if child == 0:
        os._exit(status)
    print(os.waitpid(child, 0)[1])
child = os.fork()
if child == 0:
    threading.Thread(target=print, args=("a thread of the child",)).start()
    sys.exit("the child says so")
print(os.waitpid(child, 0)[1])
child = os.fork()
if child == 0:
    os.abort()
print(os.waitpid(child, 0)[1] & 0x7F, len(os.listdir("/proc/self/task")))
print(os.waitpid(os.fork() or os.kill(os.getpid(), 9), 0)[1])
