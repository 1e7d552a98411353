# SPDX-License-Identifier: Apache-2.0
"""A producer that sleeps, a consumer that works, and workers parked in another queue."""
import queue
import random
import time

import clocks

tasks, never = queue.Queue(), queue.Queue()
N_PARKED = 3


def produce(end):
    while time.perf_counter() < end:
        with clocks.wait("pause", "sleep+gil"):
            time.sleep(random.uniform(0.02, 0.05))  # @pause
        tasks.put(1)
    tasks.put(None)


def consume():
    task = 1
    while task:
        with clocks.wait("get", "lock+gil"):
            task = tasks.get()  # @get
        clocks.spin(0.015)


def parked():
    with clocks.wait("parked", "lock"):
        never.get()  # @parked


def main(end):
    threads = [clocks.spawn(produce, end), clocks.spawn(consume)]
    threads += [clocks.spawn(parked) for _ in range(N_PARKED)]
    with clocks.wait("join", "lock"):
        threads[1].join()  # @join
    for _ in range(N_PARKED):
        never.put(1)
    for thread in threads:
        thread.join()


clocks.run(main)
