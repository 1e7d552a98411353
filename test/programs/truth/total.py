# SPDX-License-Identifier: Apache-2.0
"""CPU time of many kinds in several threads, for a total that no sampling rate may change."""
import time

begin_cpu = time.process_time()  # before the imports, which are measured, too

import os
import threading
import zlib

import truth

text = bytes(range(256)) * 400


def python_work(duration):
    x, end = 1, truth.clock() + duration * truth.NS
    while truth.clock() < end:
        for i in range(2000):
            x = (x * 31 + i) % 65521


def native_work(duration):
    end = truth.clock() + duration * truth.NS
    while truth.clock() < end:
        zlib.compress(text)


def in_threads(works):
    threads = [threading.Thread(target=work, args=(duration,)) for work, duration in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    part = truth.seconds() / 5
    in_threads([(python_work, part), (native_work, part)])
    for _ in range(10):
        in_threads([(python_work, part / 10)])
        time.sleep(0.01)
    python_work(part)
    native_work(part)
    truth.tell(cpu=time.process_time() - begin_cpu)
    os._exit(0)  # the interpreter's own end would be CPU time that this clock cannot see


main()
