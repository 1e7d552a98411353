# SPDX-License-Identifier: Apache-2.0
"""Shows a handler of its own for every signal there is."""
import os
import signal
import threading

received = []
refused = []
for number in sorted(signal.valid_signals()):
    try:
        signal.signal(number, lambda n, frame: received.append(n))
    except (OSError, ValueError) as error:
        refused.append((int(number), str(error)))
        continue
    os.kill(os.getpid(), number)
    signal.pthread_kill(threading.main_thread().ident, number)
print(sorted(int(n) for n in received))
print(refused)
