# SPDX-License-Identifier: Apache-2.0
"""Shows an exception in a thread."""
import threading


def fail():
    raise ValueError("in the thread")


thread = threading.Thread(target=fail, name="worker")
thread.start()
thread.join()
print(threading.excepthook)
