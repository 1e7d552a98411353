# SPDX-License-Identifier: Apache-2.0
"""Shows a pool and a queue by the fork method."""
import ctypes
import multiprocessing
import os
import sys

# The first thread that ends has the C library load this. A fork at that very moment, with us or without, leaves a
# child whose own threads cannot end: glibc aborts.
ctypes.CDLL("libgcc_s.so.1")


class Answer:
    def __init__(self, value):
        self.value = value


def work(number):
    return Answer((number * number, multiprocessing.current_process().name.split("-")[0],
                   sys.argv, sys.flags.optimize, "LD_PRELOAD" in os.environ))


def put(queue):
    queue.put(Answer("from a child"))
    sys.exit(7)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        print([answer.value for answer in pool.map(work, range(4))])
    queue = context.Queue()
    child = context.Process(target=put, args=(queue,))
    child.start()
    print(queue.get().value)
    child.join()
    print(child.exitcode)
