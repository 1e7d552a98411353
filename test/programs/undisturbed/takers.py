# SPDX-License-Identifier: Apache-2.0
"""Threads that take signals by sigwait, sent by a child, while another thread works."""
import os
import signal
import threading

NUMBERS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGPROF, signal.SIGVTALRM, signal.SIGRTMIN + 5)
N_EACH = 40
signal.pthread_sigmask(signal.SIG_BLOCK, NUMBERS)
taken, lock = {}, threading.Lock()
answers, answered = os.pipe()
is_over = False


def take(number):
    for _ in range(N_EACH):
        got = signal.sigwait({number})
        with lock:
            taken[int(got)] = taken.get(int(got), 0) + 1
        os.write(answered, b"x")


def work():
    while not is_over:
        sum(range(2000))


def send():
    """Each signal once the one before was taken, so that none of them merge."""
    for _ in range(N_EACH):
        for number in NUMBERS:
            os.kill(os.getppid(), number)
            os.read(answers, 1)


child = os.fork()
if child == 0:
    send()
    os._exit(7)
threads = [threading.Thread(target=take, args=(number,)) for number in NUMBERS]
worker = threading.Thread(target=work)
for thread in [*threads, worker]:
    thread.start()
for thread in threads:
    thread.join()
is_over = True
worker.join()
print(os.waitpid(child, 0)[1] >> 8, sorted(taken.items()), signal.sigpending())
