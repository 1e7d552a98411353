# SPDX-License-Identifier: Apache-2.0
"""A service to look at: workers answer requests, and a cache that is never emptied grows."""
import queue
import threading
import time
import zlib

REQUESTS = 240
cache: dict = {}
jobs: queue.Queue = queue.Queue()


def render(number: int) -> bytes:
    text = []
    for row in range(1500):
        text.append(f"<tr><td>{number}</td><td>{row * number % 97}</td></tr>")
    return "".join(text).encode()


def answer(number: int) -> int:
    page = render(number)
    packed = zlib.compress(page, 9)
    cache[number, time.monotonic()] = page + bytes(400_000)  # no page is ever asked for again
    return len(packed)


def worker() -> None:
    while True:
        number = jobs.get()
        if number is None:
            return
        answer(number)


def main() -> None:
    workers = [threading.Thread(target=worker) for _ in range(2)]
    for one in workers:
        one.start()
    for number in range(REQUESTS):
        jobs.put(number)
        time.sleep(0.01)
    for one in workers:
        jobs.put(None)
    for one in workers:
        one.join()


main()
