# SPDX-License-Identifier: Apache-2.0
"""A thread that runs Python and a thread that compresses without the GIL, each with its clock."""
import random
import threading
import zlib

import truth

clock = truth.clock
random.seed(2)
text = bytes(random.choice(b"abcdefgh ") for _ in range(400000))
facts = {}


def python_thread(duration_ns):  # @python
    x, begin = 1, clock()
    while clock() - begin < duration_ns:
        for i in range(3000):
            x = (x * 31 + i) % 65521
    note("python")


def native_thread(duration_ns):  # @native
    begin = clock()
    while clock() - begin < duration_ns:
        zlib.compress(text, 9)
    note("native")


def note(name):
    facts[name] = {"cpu": clock() / truth.NS, "ident": threading.get_ident()}
    truth.kernel_s[name] = truth.booked_s()


def main():
    duration_ns = int(truth.seconds() * truth.NS)
    threads = [
        threading.Thread(target=python_thread, args=(duration_ns,)),
        threading.Thread(target=native_thread, args=(duration_ns * 6 // 10,)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    truth.tell(spent={name: fact["cpu"] for name, fact in facts.items()}, threads=facts)


main()
