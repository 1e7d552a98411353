# SPDX-License-Identifier: Apache-2.0
"""Question and answer over TCP, with blocking sockets and with a timeout."""
import socket
import time

import clocks

server = socket.create_server(("127.0.0.1", 0))


def answer():
    with clocks.wait("accept", "io"):
        connection, _ = server.accept()  # @accept
    question = b"?"
    while question:
        with clocks.wait("listen", "io+gil"):
            question = connection.recv(10)  # @listen
        with clocks.wait("think", "sleep+gil"):
            time.sleep(0.03)  # @think
        connection.sendall(b"!")


def main(end):
    thread = clocks.spawn(answer)
    client = socket.create_connection(server.getsockname())
    while time.perf_counter() < end:
        client.settimeout(None)
        client.sendall(b"?")
        with clocks.wait("blocking", "io"):
            client.recv(10)  # @blocking
        clocks.spin(0.012)
        client.settimeout(5)
        client.sendall(b"?")
        with clocks.wait("timed", "poll"):
            client.recv(10)  # @timed
    client.shutdown(socket.SHUT_WR)
    with clocks.wait("join", "lock"):
        thread.join()  # @join


clocks.run(main)
