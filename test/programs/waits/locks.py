# SPDX-License-Identifier: Apache-2.0
"""Waits for a lock, a condition, an event and a semaphore, each ended by a thread that sleeps."""
import threading
import time

import clocks

lock, condition, event = threading.Lock(), threading.Condition(), threading.Event()
semaphore = threading.Semaphore(0)
state = {"is_over": False, "turn": 0}


def release(end):
    lock.acquire()
    while not state["is_over"]:
        with clocks.wait("pause", "sleep+gil"):
            time.sleep(0.03)  # @pause
        lock.release()
        event.set()
        semaphore.release()
        with condition:
            condition.notify_all()
        with clocks.wait("pause", "sleep+gil"):
            time.sleep(0.01)  # @pause
        lock.acquire()
    lock.release()


def main(end):
    thread = clocks.spawn(release, end)
    time.sleep(0.01)
    while time.perf_counter() < end:
        with clocks.wait("lock", "lock"):
            lock.acquire()  # @lock
        lock.release()
        clocks.spin(0.012)
        event.clear()
        with clocks.wait("event", "lock"):
            event.wait()  # @event
        with condition, clocks.wait("condition", "lock"):
            condition.wait()  # @condition
        while semaphore.acquire(blocking=False):
            pass
        with clocks.wait("semaphore", "lock"):
            semaphore.acquire()  # @semaphore
    state["is_over"] = True
    thread.join()
    with clocks.wait("alone", "lock"):
        threading.Event().wait(clocks.seconds() / 4)  # @alone


clocks.run(main)
