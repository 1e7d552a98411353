# SPDX-License-Identifier: Apache-2.0
"""Prints blocked signals, here, in a thread and in children."""
import signal
import subprocess
import threading


def show():
    print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())


show()
thread = threading.Thread(target=show)
thread.start()
thread.join()
print(subprocess.run(["grep", "Sig[PBIC]", "/proc/self/status"], stdout=subprocess.PIPE).stdout)
print(subprocess.run(["grep", "Sig[PBIC]", "/proc/self/status"], stdout=subprocess.PIPE,
                     restore_signals=False).stdout)
