# SPDX-License-Identifier: Apache-2.0
"""Stands in for pyperf beside a pyperformance program: does its work here, a fixed number of times.

The real one starts worker processes and decides for itself how often to repeat. To compare the cost
of profilers the same work has to be done in one process, as often as BENCH_LOOPS says; without
it this finds the number that takes BENCH_SECONDS, of CPU time unless BENCH_CLOCK is "wall". The
program's file stays as it is. What the work took by the clock and in CPU time, and the CPU time of
the process since its start, go to the file BENCH_RESULT.

With BENCH_TURNS the work is done in blocks of BENCH_SECONDS instead, while scalene's measuring is on,
off, off and on, so many times over, but no longer than BENCH_LIMIT_S of CPU time or four times: what the
blocks took goes to the file. With BENCH_REPEAT it is done that often, or three times and for a second, and the shortest time counts.
Must run on Python 3.8.
"""
from __future__ import annotations

import argparse
import json
import os
import time
from time import perf_counter
from typing import Any, Callable

__all__ = ["Runner", "perf_counter"]

Work = Callable[[int], Any]  # does its thing so many times


class Runner:
    """As much of pyperf.Runner as the programs use; ignores all benchmarks but BENCH_NAME."""

    def __init__(self, **_: Any) -> None:
        self.argparser = argparse.ArgumentParser()
        self.metadata: dict[str, Any] = {}

    def parse_args(self) -> argparse.Namespace:
        return self.argparser.parse_args()

    def bench_time_func(
        self, name: str, function: Callable[..., Any], *args: Any, **_: Any
    ) -> None:
        measure(name, lambda loops: function(loops, *args))

    def bench_func(self, name: str, function: Callable[..., Any], *args: Any, **_: Any) -> None:
        def repeat(loops: int) -> None:
            for _ in range(loops):
                function(*args)

        measure(name, repeat)

    def bench_async_func(
        self, name: str, function: Callable[..., Any], *args: Any, **_: Any
    ) -> None:
        import asyncio  # only here: it would be a heavy import for all the others

        async def repeat(loops: int) -> None:
            for _ in range(loops):
                await function(*args)

        measure(name, lambda loops: asyncio.run(repeat(loops)))


def measure(name: str, work: Work) -> None:
    if name != os.environ["BENCH_NAME"]:
        return
    if "BENCH_CPU" in os.environ:
        os.sched_setaffinity(0, {int(os.environ["BENCH_CPU"])})
    if "BENCH_TURNS" in os.environ:
        take_turns(work, int(os.environ["BENCH_TURNS"]))
        return
    loops = int(os.environ.get("BENCH_LOOPS", "0")) or fitting_loops(work)
    if "BENCH_REPEAT" in os.environ:
        tell({"loops": loops, "least_s": least(work, loops, int(os.environ["BENCH_REPEAT"]))})
        return
    begin_s, begin_cpu_s = perf_counter(), time.process_time()
    work(loops)
    took_s, cpu_s = perf_counter() - begin_s, time.process_time()
    tell({"loops": loops, "wall_s": took_s, "cpu_s": cpu_s - begin_cpu_s, "process_cpu_s": cpu_s})


def tell(done: "dict[str, Any]") -> None:
    with open(os.environ["BENCH_RESULT"], "w") as file:
        json.dump(done, file)


def least(work: Work, loops: int, n_times: int) -> float:
    """What else the machine does can only make it longer. Long work is done less often."""
    took: "list[float]" = []
    while len(took) < n_times and (len(took) < 3 or sum(took) < 1.0):
        begin_s = time.process_time()
        work(loops)
        took.append(time.process_time() - begin_s)
    return min(took)


def take_turns(work: Work, n_turns: int) -> None:
    """On, off, off, on: what the machine does meanwhile, and how fast it changes, is in both."""
    import ctypes

    agent = ctypes.CDLL(None)  # preloaded
    agent.scalene_switch(1)
    loops = fitting_loops(work)

    def block(is_on: bool) -> float:
        if agent.scalene_switch(is_on) < 0:
            raise RuntimeError("this process is not measured")
        begin_s = time.process_time()
        work(loops)
        return time.process_time() - begin_s

    block(True)
    turns: "list[list[float]]" = []
    limit_s = time.process_time() + float(os.environ["BENCH_LIMIT_S"])
    while len(turns) < 4 or (len(turns) < n_turns and time.process_time() < limit_s):
        turns.append([block(is_on) for is_on in (True, False, False, True)])
    on_s = sum(first + last for first, _, _, last in turns)
    tell({"loops": loops, "turns": turns, "on_s": on_s})


def fitting_loops(work: Work) -> int:
    """How many loops take BENCH_SECONDS, by doubling until a fifth of that is reached."""
    clock = perf_counter if os.environ["BENCH_CLOCK"] == "wall" else time.process_time
    wanted_s, loops = float(os.environ["BENCH_SECONDS"]), 1
    while True:
        begin_s = clock()
        work(loops)
        took_s = clock() - begin_s
        if took_s >= wanted_s / 5:
            return max(1, round(loops * wanted_s / took_s))
        loops *= 2
