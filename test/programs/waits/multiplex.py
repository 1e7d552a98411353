# SPDX-License-Identifier: Apache-2.0
"""Loops over select, poll and epoll, fed by a thread that sleeps in between."""
import os
import select
import time

import clocks

reader, writer = os.pipe()


def feed(end):
    while time.perf_counter() < end:
        with clocks.wait("pause", "sleep+gil"):
            time.sleep(0.03)  # @pause
        os.write(writer, b"x")
    for _ in range(3):
        os.write(writer, b"x")


def main(end):
    thread = clocks.spawn(feed, end)
    poll, epoll = select.poll(), select.epoll()
    poll.register(reader, select.POLLIN)
    epoll.register(reader, select.EPOLLIN)
    while time.perf_counter() < end:
        with clocks.wait("select", "poll"):
            select.select([reader], [], [])  # @select
        clocks.spin(0.01)
        os.read(reader, 1)
        with clocks.wait("poll", "poll"):
            poll.poll()  # @poll
        os.read(reader, 1)
        with clocks.wait("epoll", "poll"):
            epoll.poll()  # @epoll
        os.read(reader, 1)
    thread.join()


clocks.run(main)
