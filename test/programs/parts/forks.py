# SPDX-License-Identifier: Apache-2.0
"""A tree of forked processes whose threads have the numbers of their parents': each child does another share of the work."""
import os
import sys
import time


def loop(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        total = 0
        for i in range(2000):
            total += i * i


def parent_work(seconds):
    loop(seconds)


def child_work(seconds):
    loop(seconds)


def grandchild_work(seconds):
    loop(seconds)


def fork(work, *arguments):
    pid = os.fork()
    if pid == 0:
        work(*arguments)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)


def child(unit):
    start = time.process_time()
    child_work(2 * unit)
    fork(grandchild, unit)
    print("child", os.getpid(), time.process_time() - start)


def grandchild(unit):
    grandchild_work(unit)
    print("grandchild", os.getpid())


if __name__ == "__main__":
    unit = float(sys.argv[1])
    parent_work(unit)
    fork(child, unit)
    print("parent", os.getpid())
