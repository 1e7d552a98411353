# SPDX-License-Identifier: Apache-2.0
"""Shows signals taken by waiting for them."""
import os
import signal
import threading

numbers = {signal.SIGUSR1, signal.SIGUSR2, signal.SIGPROF, signal.SIGRTMIN + 3, signal.SIGRTMAX}
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
taken = []


def take():
    for _ in numbers:
        taken.append(signal.sigwait(numbers))


thread = threading.Thread(target=take)
thread.start()
for number in sorted(numbers):
    os.kill(os.getpid(), number)
thread.join()
print(sorted(int(n) for n in taken), signal.sigpending(), signal.sigtimedwait(numbers, 0.05))
read, write = os.pipe()
os.set_blocking(write, False)
print(signal.set_wakeup_fd(write))
signal.signal(signal.SIGHUP, lambda number, frame: None)
os.kill(os.getpid(), signal.SIGHUP)
print(os.read(read, 10))
