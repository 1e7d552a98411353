# SPDX-License-Identifier: Apache-2.0
"""Two threads that compress without the GIL, with pauses of their own, beside one that sleeps."""
import random
import time
import zlib

import clocks

random.seed(3)
text = bytes(random.choice(b"abcdefgh ") for _ in range(300000))


def first(end):
    while time.perf_counter() < end:
        begin = time.thread_time()
        zlib.compress(text, 6)  # @first
        clocks.spent["first"] = clocks.spent.get("first", 0.0) + time.thread_time() - begin
        with clocks.wait("first_pause", "sleep"):
            time.sleep(random.uniform(0.01, 0.04))  # @first_pause


def second(end):
    while time.perf_counter() < end:
        begin = time.thread_time()
        zlib.compress(text, 6)  # @second
        clocks.spent["second"] = clocks.spent.get("second", 0.0) + time.thread_time() - begin
        with clocks.wait("second_pause", "sleep"):
            time.sleep(random.uniform(0.02, 0.08))  # @second_pause


def sleeper(end):
    with clocks.wait("sleeper", "sleep"):
        time.sleep(end - time.perf_counter())  # @sleeper


def main(end):
    threads = [clocks.spawn(function, end) for function in (first, second, sleeper)]
    with clocks.wait("join", "lock"):
        for thread in threads:
            thread.join()  # @join


clocks.run(main)
