# SPDX-License-Identifier: Apache-2.0
"""Runs itself in a namespace of processes of its own, with what unshare is told besides: there one thread works
and naps in turn while another waits."""
import subprocess
import sys
import threading
import time


def work(duration):
    end = time.thread_time() + duration
    while time.thread_time() < end:  # @work
        sum(range(1000))  # @work


def live():
    over = threading.Event()
    waiter = threading.Thread(target=over.wait)  # @wait
    waiter.start()
    for _ in range(10):
        work(0.05)
        time.sleep(0.05)  # @nap
    over.set()
    waiter.join()


if sys.argv[1:] == ["inside"]:
    live()
else:
    sandbox = ["unshare", "--pid", "--fork", *sys.argv[1:]]
    sys.exit(subprocess.run([*sandbox, sys.executable, __file__, "inside"]).returncode)
