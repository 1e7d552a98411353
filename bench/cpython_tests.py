#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs CPython's own tests bare and under scalene, and compares how every test case ended.

A file of tests is a process, or two: bare, and under the highest sampling rate. What differs is run
once more on both sides; a case that ends differently bare and bare is flaky. A program can ask
Python whether its allocators are hooked: a case that ends the same bare with tracemalloc, which
hooks them, too, is told as hooked. Any other difference is ours. Ends with a non-zero status if a
difference was ours, or a file could not be compared.
"""
from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lib import interpreters, regrtest
from lib.interpreters import Interpreter, harness
from lib.regrtest import END, Place, Run

# By what they lean on: where an agent in the process could be noticed, and what everybody uses.
FILES = {
    "signals": "signal faulthandler eintr threadsignals",
    "threads": "thread threading threading_local threadedtempfile queue sched "
    "concurrent_futures.test_thread_pool concurrent_futures.test_future",
    "processes": "fork1 wait3 wait4 popen subprocess posix os pty atexit "
    "multiprocessing_main_handling",
    "frames": "sys sys_settrace sys_setprofile monitoring traceback inspect dis "
    "code frame exceptions generators generator_stop coroutines asyncgen contextlib "
    "contextlib_async with bdb profile cprofile trace tracemalloc cmd_line cmd_line_script runpy",
    "asyncio": "asyncio.test_base_events asyncio.test_events asyncio.test_tasks "
    "asyncio.test_subprocess asyncio.test_unix_events asyncio.test_streams",
    "memory": "ctypes gc weakref weakset mmap buffer memoryview capi embed",
    "waits": "socket select selectors epoll poll time asyncore",
    "library": "tempfile io fileio pickle json zlib struct array dict list tuple set unicode bytes "
    "int float long re datetime functools itertools collections zipapp",
}
TESTS = [f"test_{name}" for names in FILES.values() for name in names.split()]
WIDTH = max(map(len, TESTS))
# Asks a Python that takes no options from outside, tracemalloc neither, for statistics of pymalloc;
# there are none where the allocators are hooked: python -X tracemalloc -c "sys._debugmallocstats()".
HOOKED = "test_debugmallocstats"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="test_os, test_json")
    parser.add_argument("--repeat", type=int, default=1, help="runs under scalene of each file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at once")
    parser.add_argument("--scalene", default=str(harness.SCALENE), metavar="PATH")
    parser.add_argument("--keep", metavar="FOLDER", help="where to keep output and profiles")
    return parser.parse_args()


class File:
    """One file of tests on one interpreter: its runs, and what they come to."""

    def __init__(self, place: Place, name: str, repeat: int):
        self.place, self.name, self.repeat = place, name, repeat
        self.bare: list[Run] = []
        self.ours: list[Run] = []
        self.traced: Run | None = None  # bare with tracemalloc, if there was a difference

    def perform(self) -> "File":
        self.bare.append(regrtest.run_bare(self.place, self.name))
        for _ in range(0 if self.is_void else self.repeat):
            self.ours.append(regrtest.run_ours(self.place, self.name))
        return self

    def perform_again(self) -> None:
        self.bare.append(regrtest.run_bare(self.place, self.name))
        self.ours.append(regrtest.run_ours(self.place, self.name))
        if self.different:
            self.traced = regrtest.run_hooked(self.place, self.name)

    @property
    def is_void(self) -> bool:
        """Nothing to compare with: it does not even end, or has no case, bare."""
        return self.bare[0].is_hung or not self.bare[0].cases

    @property
    def flaky(self) -> set[str]:
        """Cases that end differently from one bare run to another."""
        return {case for run in self.bare[1:] for case in run.differences(self.bare[0])}

    @property
    def different(self) -> Counter[str]:
        """Cases that ended under scalene as they did in no bare run, with how often."""
        return Counter(
            case
            for run in self.ours
            for case in run.differences(self.bare[0])
            if run.end_of(case) not in {bare.end_of(case) for bare in self.bare}
        )

    @property
    def hooked(self) -> set[str]:
        """Different cases that always ended as they do for anybody who hooks Python's allocators."""
        traced = self.traced
        cases = {
            case
            for case in self.different
            if case.endswith(HOOKED)
            or (traced and {run.end_of(case) for run in self.ours} == {traced.end_of(case)})
        }
        # How the process ended follows from its cases, if all of them are told.
        is_all = cases and set(self.different) - cases <= {END}
        return set(self.different) if is_all else cases - {END}

    @property
    def wrong(self) -> Counter[str]:
        return Counter({case: n for case, n in self.different.items() if case not in self.hooked})

    @property
    def verdict(self) -> str:
        if self.is_void:
            return "VOID"
        if self.wrong:
            return "DIFFERENT"
        if self.hooked:
            return "hooked"
        return "flaky" if any(run.differences(self.bare[0]) for run in self.ours) else "same"


def show(file: File) -> None:
    bare = file.bare[0]
    seconds = "".join(f"{run.seconds:6.1f} s" for run in [bare, *file.ours[:1]])
    print(
        f"{file.place.interpreter.id:12} {file.name:{WIDTH}} {bare.summary:24} "
        f"{seconds:16}  {file.verdict}",
        flush=True,
    )
    for case, n in sorted(file.wrong.items()):
        ends = ", ".join(sorted({run.end_of(case) for run in file.ours}))
        print(f"    {case}: bare {bare.end_of(case)}, ours {ends} ({n} of {len(file.ours)})")
    for case in sorted(file.hooked):
        print(f"    hooked: {case}: bare {bare.end_of(case)}, ours {file.ours[0].end_of(case)}")
    for case in sorted(file.flaky):
        print(f"    flaky: {case}: bare {', '.join(run.end_of(case) for run in file.bare)}")


def cover(interpreter: Interpreter, arguments: argparse.Namespace, folder: Path) -> list[File]:
    """All files on one interpreter. Differences are looked at again one by one, in the quiet."""
    place = Place(interpreter, folder / interpreter.id, arguments.scalene)
    names = regrtest.present(interpreter, arguments.only or TESTS)
    files = [File(place, name, arguments.repeat) for name in names]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for file in pool.map(File.perform, files):
            if not file.different:
                show(file)
            else:
                print(f"{interpreter.id:12} {file.name:{WIDTH}} once more, at the end", flush=True)
    for file in files:
        if file.different:
            file.perform_again()
            show(file)
    return files


def show_interpreter(interpreter: Interpreter, files: list[File], seconds: float) -> None:
    verdicts = Counter(file.verdict for file in files)
    n_cases = sum(len(file.bare[0].cases) for file in files)
    counts: Counter[str] = Counter()
    for file in files:
        for run in file.ours:
            counts.update(run.counts)
    told = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items())
    print(f"{interpreter.id}: {len(files)} files, {n_cases} cases: {told}; {seconds:.0f} s")
    numbers = ", ".join(f"{what} {n}" for what, n in counts.items())
    print(f"{interpreter.id}: {numbers}", flush=True)


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose(arguments.python)
    print(f"on {interpreters.machine()}")
    regrtest.adopt_orphans()
    is_wrong, n_covered = False, 0
    with tempfile.TemporaryDirectory(prefix="scalene-cpython-") as temporary:
        folder = Path(arguments.keep or temporary).resolve()
        for interpreter in found:
            begin = time.monotonic()
            files = cover(interpreter, arguments, folder)
            regrtest.end_leftovers()
            if not files:
                missing[interpreter.id] = "came without these tests"
                continue
            n_covered += 1
            show_interpreter(interpreter, files, time.monotonic() - begin)
            is_wrong = is_wrong or any(file.wrong or file.is_void for file in files)
    for name, reason in missing.items():
        print(f"not covered: {name}: {reason}")
    print("different from bare, or void" if is_wrong else f"as bare on {n_covered} interpreters")
    return 1 if is_wrong or not n_covered else 0


if __name__ == "__main__":
    os.nice(10)
    sys.exit(main())
