# SPDX-License-Identifier: Apache-2.0
"""A main thread that sends, a client it keeps busy and a client that hears nothing (C5)."""
import socket
import time

import clocks

busy_server, busy_client = socket.socketpair()
idle_server, idle_client = socket.socketpair()


def idle():
    with clocks.wait("silence", "io+gil"):
        idle_client.recv(10)  # @silence


def busy():
    begin = time.thread_time()
    while receive():
        pass
    clocks.spent["receive"] = time.thread_time() - begin


def receive():
    return len(busy_client.recv(1 << 16))  # @receive


def send(data):
    busy_server.sendall(data)  # @send


def main(end):
    threads = [clocks.spawn(idle), clocks.spawn(busy)]
    begin, data = time.thread_time(), bytes(1 << 16)
    while time.perf_counter() < end:
        send(data)
    clocks.spent["send"] = time.thread_time() - begin
    busy_server.close()
    idle_server.close()
    for thread in threads:
        thread.join()


clocks.run(main)
