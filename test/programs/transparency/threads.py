# SPDX-License-Identifier: Apache-2.0
"""Prints threads, as Python and as the kernel count them."""
import os
import sys
import threading

print(len(os.listdir("/proc/self/task")), threading.enumerate()[0].name, threading.active_count())
print(len(sys._current_frames()), threading.main_thread() is threading.current_thread())
threads = [threading.Thread(target=threading.Event().wait, args=(0.1,)) for _ in range(5)]
for thread in threads:
    thread.start()
print(len(os.listdir("/proc/self/task")), threading.active_count(), len(sys._current_frames()))
for thread in threads:
    thread.join()
print(threading.active_count(), threading.stack_size())
