# SPDX-License-Identifier: Apache-2.0
"""A thousand threads parked in an event while the main thread works and sleeps (C14)."""
import threading
import time

import clocks

N_THREADS = 1000
event = threading.Event()


def park():
    event.wait()  # @parked


def main(end):
    with clocks.wait("none", "sleep"):
        pass
    while time.perf_counter() < end:
        clocks.spin(0.05)
        with clocks.wait("sleep", "sleep"):
            time.sleep(0.05)  # @sleep


threading.stack_size(65536)
threads = [threading.Thread(target=park, daemon=True) for _ in range(N_THREADS)]
for thread in threads:
    thread.start()
begin = time.perf_counter()
clocks.run(main, n_threads=N_THREADS)
event.set()
for thread in threads:
    thread.join()
