# SPDX-License-Identifier: Apache-2.0
"""Starts a thread while the interpreter itself is still starting."""
import threading
import time

ready = threading.Event()
work = []


def wait_for_work():
    ready.wait()
    for task in work:
        task()


thread = threading.Thread(target=wait_for_work)
thread.start()
time.sleep(0.01)
