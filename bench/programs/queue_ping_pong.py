# SPDX-License-Identifier: Apache-2.0
"""Two threads hand a ball to and fro through queues: nothing but GIL and lock switches."""
import queue
import threading

import pyperf


def echo(source: "queue.Queue[int]", sink: "queue.Queue[int]", times: int) -> None:
    for _ in range(times):
        sink.put(source.get())


def ping_pong(loops: int) -> None:
    there: "queue.Queue[int]" = queue.Queue()
    back: "queue.Queue[int]" = queue.Queue()
    times = 1000 * loops
    other = threading.Thread(target=echo, args=(there, back, times))
    other.start()
    for ball in range(times):
        there.put(ball)
        back.get()
    other.join()


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("queue_ping_pong", ping_pong)
