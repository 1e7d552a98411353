#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares memory, peaks, copies and leaks with programs whose memory is known, everywhere."""
from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

from lib import interpreters, memory_checks as checks


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[], help="an interpreter; again for more")
    parser.add_argument("--only", choices=("lines", "leaks"), help="nothing else")
    parser.add_argument("--leaks", type=int, default=1, help="how often the leaks are looked for")
    parser.add_argument("--programs", nargs="+", default=[], help="of the leaks; otherwise all")
    parser.add_argument("--seconds", type=float, default=12, help="length of a leaking program")
    parser.add_argument("--slow-seconds", type=float, default=40, help="of a slowly leaking one")
    parser.add_argument("--jobs", type=int, default=6, help="leaking programs side by side: they sleep")
    return parser.parse_args()


def measure_lines(interpreter: interpreters.Interpreter):
    for program in checks.PROGRAMS:
        yield from checks.check_lines(interpreter, program)
    for name in checks.PEAKS:
        yield from checks.check_lines(interpreter, "peaks.py", name)
    for percent in checks.TOUCHED:
        yield from checks.check_lines(interpreter, "touched.py", percent)
    yield from checks.check_errors(interpreter)


class LeakTable:
    """How often each program was told right."""

    def __init__(self) -> None:
        self.right: dict[str, int] = {}
        self.runs: dict[str, int] = {}

    def add(self, name: str, measures: list[checks.Measure]) -> int:
        n_wrong = sum(not one.is_ok for one in measures)
        self.runs[name] = self.runs.get(name, 0) + 1
        self.right[name] = self.right.get(name, 0) + (n_wrong == 0)
        return n_wrong

    def __str__(self) -> str:
        return "\n".join(f"  {name:<36} {self.right[name]:3} right of {self.runs[name]}"
                         for name in sorted(self.runs))


def measure_leaks(chosen: list[interpreters.Interpreter], options: argparse.Namespace) -> int:
    """Every program as often as asked for on every interpreter, several at once."""
    table, n_wrong = LeakTable(), 0

    def run(work):
        interpreter, family, name = work
        seconds = options.slow_seconds if name in family.slow else options.seconds
        return checks.check_leak(interpreter, family, name, seconds)

    works = [(interpreter, family, name) for family in checks.FAMILIES for name in family.names
             if not options.programs or name in options.programs
             for interpreter in chosen for _ in range(options.leaks)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for (interpreter, family, name), measures in zip(works, pool.map(run, works)):
            n_wrong += table.add(f"{family.program} {name}", measures)
            for one in measures:
                if not one.is_ok:
                    print(f"  {interpreter.id} {one}", flush=True)
    print(f"\nleaks, on {', '.join(one.id for one in chosen)}\n{table}")
    return n_wrong


def main() -> int:
    options = arguments()
    chosen, missing = interpreters.choose(options.python)
    n_wrong = 0
    print(interpreters.machine())
    for interpreter in chosen if options.only != "leaks" else ():
        print(f"\n{interpreter.id}")
        for one in measure_lines(interpreter):
            n_wrong += not one.is_ok
            print(f"  {one}", flush=True)
    if options.only != "lines":
        n_wrong += measure_leaks(chosen, options)
    for name, reason in missing.items():
        print(f"\n{name} is missing: {reason}")
    print(f"\n{n_wrong} wrong")
    return 1 if n_wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
