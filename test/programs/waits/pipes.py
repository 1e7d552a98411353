# SPDX-License-Identifier: Apache-2.0
"""Bytes through a pipe: a thread that writes now and then, a main thread that reads and works."""
import os
import random
import time

import clocks

reader, writer = os.pipe()


def write(end):
    while time.perf_counter() < end:
        with clocks.wait("pause", "sleep+gil"):
            time.sleep(random.uniform(0.02, 0.06))  # @pause
        os.write(writer, b"x")
    os.close(writer)


def main(end):
    thread = clocks.spawn(write, end)
    data = b"x"
    while data:
        with clocks.wait("read", "io+gil"):
            data = os.read(reader, 10)  # @read
        clocks.spin(0.015)
    thread.join()


clocks.run(main)
