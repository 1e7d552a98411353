# SPDX-License-Identifier: Apache-2.0
"""Blocks every signal, those of faults as well, and has blocks of all sizes grow, here and in children.

The kernel ends a process that faults while the signal of it is blocked: not even a load whose fault
is awaited may happen then.
"""
import os
import signal
import subprocess
import sys
import threading

SIZES = [200, 5_000, 300_000, 1_000_000]


def grow():
    for i in range(8):
        for size in SIZES:
            block = bytearray(size + 4096 * i)
            for _ in range(5):
                block.extend(bytes(size // 2))


signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
grow()
threads = [threading.Thread(target=grow) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), flush=True)
if sys.argv[-1] != "child":
    for allocator in ["", "mimalloc"] if sys.version_info >= (3, 13) else [""]:
        env = {**os.environ, **({"PYTHONMALLOC": allocator} if allocator else {})}
        command = [sys.executable, __file__, "child"]
        print(subprocess.run(command, env=env, restore_signals=False).returncode)
