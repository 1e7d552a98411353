# SPDX-License-Identifier: Apache-2.0
"""Sleeps, works in a thread that is joined, and lets two threads fight for the GIL; tells how long."""
import json
import threading
import time


def nap():
    begin = time.perf_counter()
    for _ in range(8):
        time.sleep(0.1)  # @nap
    return time.perf_counter() - begin


def work(seconds):
    begin = time.thread_time()
    while time.thread_time() - begin < seconds:
        sum(range(2000))  # @work


def first(seconds):
    begin = time.thread_time()
    while time.thread_time() - begin < seconds:
        for i in range(5000):
            i * i  # @first


def second(seconds):
    begin = time.thread_time()
    while time.thread_time() - begin < seconds:
        for i in range(5000):
            i + i  # @second


def main():
    parked = threading.Event()
    threading.Thread(target=parked.wait, daemon=True).start()
    slept = nap()
    worker = threading.Thread(target=work, args=(0.5,))
    worker.start()
    worker.join()  # @join
    fighters = [threading.Thread(target=f, args=(0.4,)) for f in (first, second)]
    for fighter in fighters:
        fighter.start()
    for fighter in fighters:
        fighter.join()
    print(json.dumps({"slept": slept}))


main()
