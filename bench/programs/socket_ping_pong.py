# SPDX-License-Identifier: Apache-2.0
"""Two threads send a byte to and fro through a pair of sockets: a wait in the kernel each time."""
import socket
import threading

import pyperf


def echo(end: socket.socket, times: int) -> None:
    for _ in range(times):
        end.send(end.recv(1))


def ping_pong(loops: int) -> None:
    near, far = socket.socketpair()
    times = 1000 * loops
    other = threading.Thread(target=echo, args=(far, times))
    other.start()
    for _ in range(times):
        near.send(b"x")
        near.recv(1)
    other.join()
    near.close()
    far.close()


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("socket_ping_pong", ping_pong)
