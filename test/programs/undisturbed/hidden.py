# SPDX-License-Identifier: Apache-2.0
"""Waits in every way there is, in a process that nobody may look into; tells how long, by line.

Arguments: "undumpable" asks the kernel to let nobody look; "nobody" becomes another user.
"""
import ctypes
import json
import os
import queue
import select
import subprocess
import sys
import threading
import time

PR_SET_DUMPABLE = 4
LONG_S = 0.25
waited = {}


def spend(seconds):  # @spend
    begin = time.thread_time()
    while time.thread_time() - begin < seconds:
        for i in range(1000):
            i * i


class Waited:
    """Adds the time of a block to the tag's sum."""

    def __init__(self, tag):
        self.tag = tag

    def __enter__(self):
        self.begin = time.monotonic()

    def __exit__(self, *unused):
        waited[self.tag] = waited.get(self.tag, 0) + time.monotonic() - self.begin


def later(function, *arguments):
    """Twice as late as asked for: on a busy machine the caller begins to wait late, too."""
    timer = threading.Timer(2 * LONG_S, function, arguments)
    timer.start()
    return timer


def sleeps():
    with Waited("sleep"):
        time.sleep(LONG_S)  # @sleep


def pipes():
    source, sink = os.pipe()
    timer = later(os.write, sink, b"x")
    with Waited("pipe"):
        os.read(source, 1)  # @pipe
    timer.join()


def polls():
    source, _sink = os.pipe()
    with Waited("poll"):
        select.select([source], [], [], LONG_S)  # @poll


def locks():
    lock = threading.Lock()
    lock.acquire()
    timer = later(lock.release)
    with Waited("lock"):
        lock.acquire()  # @lock
    timer.join()


def queues():
    items = queue.Queue()

    def put():
        spend(LONG_S)
        items.put(1)

    worker = threading.Thread(target=put)
    worker.start()
    items.get()  # @queue
    worker.join()


def children():
    with Waited("child"):
        subprocess.call(["sleep", str(LONG_S)])  # @child


def parked():
    threading.Event().wait()  # @parked


if "undumpable" in sys.argv:
    assert ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
if "nobody" in sys.argv:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
threading.Thread(target=parked, daemon=True).start()
for step in (sleeps, pipes, polls, locks, queues, children):
    step()
print(json.dumps(waited))
