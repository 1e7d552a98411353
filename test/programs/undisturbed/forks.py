# SPDX-License-Identifier: Apache-2.0
"""Forks, starts threads and programs in a loop; prints what came of them (C18)."""
import os
import subprocess
import sys
import threading

total, statuses = [], 0
ballast = [bytes(100) for _ in range(200000)]  # makes a fork dear: page tables to copy


def add(i):
    total.append(i)


for i in range(150):
    child = os.fork()
    if child == 0:
        os._exit(i % 50)
    statuses += os.waitpid(child, 0)[1] >> 8
for i in range(1000):
    thread = threading.Thread(target=add, args=(i,))
    thread.start()
    thread.join()
for i in range(20):
    statuses += subprocess.run(["sh", "-c", f"exit {i}"]).returncode
print(statuses, sum(total))
sys.exit(9)
