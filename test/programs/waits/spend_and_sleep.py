# SPDX-License-Identifier: Apache-2.0
"""Functions that call each other, with work and sleeps of their own in parts of 1 to 16 (C1)."""
import time

import clocks

UNIT = 0.004


def spend_1():  # @spend_1
    work(1, "spend_1")
    with clocks.wait("sleep_1", "sleep"):
        time.sleep(UNIT)  # @sleep_1


def spend_3():  # @spend_3
    spend_1()
    work(2, "spend_3")
    with clocks.wait("sleep_3", "sleep"):
        time.sleep(2 * UNIT)  # @sleep_3


def spend_4():  # @spend_4
    work(1, "spend_4")
    with clocks.wait("sleep_4", "sleep"):
        time.sleep(UNIT)  # @sleep_4
    spend_3()


def spend_7():  # @spend_7
    work(3, "spend_7")
    with clocks.wait("sleep_7", "sleep"):
        time.sleep(3 * UNIT)  # @sleep_7
    spend_4()


def spend_16():  # @spend_16
    spend_7()
    spend_3()
    work(6, "spend_16")
    with clocks.wait("sleep_16", "sleep"):
        time.sleep(6 * UNIT)  # @sleep_16


def work(parts, name):  # @work
    """CPU time is told for all functions together: its lines are these."""
    begin = now = time.thread_time()
    while now - begin < parts * UNIT:
        for i in range(300):
            i * i
        now = time.thread_time()
    clocks.spent["work"] = clocks.spent.get("work", 0.0) + now - begin
    functions[name] = functions.get(name, 0.0) + now - begin


functions = {}  # CPU seconds by the function that asked for them


def main(end):
    while time.perf_counter() < end:
        spend_16()


clocks.run(main, functions=functions)
