#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares profiles with programs that know their own truth, on every interpreter found.

Every row is one check on one interpreter and shows the measure that came closest to its bound.
Ends with a table of all and a non-zero status if a bound was broken.
"""
from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from typing import Sequence

from lib import checks, interpreters, run
from lib.checks import Check, Measure
from lib.interpreters import Interpreter

FULL_SAMPLES = 100_000  # of the alternating call chains, over all interpreters
TICKS_PER_S = 250  # samples a CPU second yields where the kernel ticks every 4 ms


def parse_arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="checks by name")
    parser.add_argument("--quick", action="store_true", help="short runs with wider bounds")
    parser.add_argument("--full", action="store_true", help="100,000 samples of the call chains")
    parser.add_argument("--verbose", action="store_true", help="show every measure")
    return parser.parse_args()


def chosen_checks(
    table: Sequence[Check], arguments: argparse.Namespace, n_interpreters: int
) -> list[Check]:
    chosen = []
    for check in table:
        if arguments.only and not any(text in check.name for text in arguments.only):
            continue
        if arguments.quick:
            check = checks.quick(check, 2.0)
        elif arguments.full and check.judge is checks.chains:
            # A tenth more than needed: a tick may find no Python frame at all.
            check = replace(check, seconds=1.1 * FULL_SAMPLES / TICKS_PER_S / n_interpreters)
        chosen.append(check)
    return chosen


def perform(check: Check, interpreter: Interpreter, doubt: float) -> list[Measure]:
    """Runs a check; a run that failed is one measure that cannot be kept."""
    try:
        runs = [
            run.run(interpreter, check.program, variant, check.seconds, doubt)
            for variant in check.variants
        ]
        return check.judge(runs)
    except (run.RunFailed, AssertionError, KeyError, ValueError) as error:
        print(f"  {type(error).__name__}: {error}", file=sys.stderr)
        return [Measure("runs that failed", 1, 0, 0)]


def bounds(measure: Measure) -> str:
    if measure.high == float("inf"):
        return f">= {measure.low:.1f}"
    if measure.low == measure.high:
        return f"= {measure.low:g}"
    if measure.low == -measure.high:
        return f"+-{measure.high:.1f}"
    return f"{measure.low:.2f}..{measure.high:.2f}"


def show(check: Check, interpreter: Interpreter, measures: list[Measure], is_verbose: bool) -> None:
    broken = [m for m in measures if not m.is_ok]
    shown = measures if is_verbose else broken or [min(measures, key=tightness)]
    for m in shown:
        verdict = "ok" if m.is_ok else "WRONG"
        place = f"{check.name:24} {interpreter.id:12}"
        print(f"{place} {m.what:32} {m.value:10.2f} {bounds(m):>14}  {verdict}", flush=True)


def tightness(measure: Measure) -> float:
    """How near a measure is to its bound; counts that must be zero come last if they are."""
    if measure.low == measure.high:
        return float("inf") if measure.is_ok else float("-inf")
    scale = measure.high - measure.low if measure.high != float("inf") else max(measure.low, 1.0)
    return measure.margin / scale


def summary(results: dict[tuple[str, str], bool], names: list[str], ids: list[str]) -> None:
    print("\n" + " " * 24 + "".join(f"{i:>12}" for i in ids))
    for name in names:
        cells = ("ok" if results[name, i] else "WRONG" for i in ids)
        print(f"{name:24}" + "".join(f"{cell:>12}" for cell in cells))


def main(table: Sequence[Check] = checks.CHECKS, description: str = __doc__) -> int:
    arguments = parse_arguments(description)
    found, missing = interpreters.choose(arguments.python)
    chosen = chosen_checks(table, arguments, max(len(found), 1))
    if not found or not chosen:
        print("no such interpreter or check", file=sys.stderr)
        return 2
    print(f"on {interpreters.machine()}")
    doubt = 5.0 if arguments.quick else 0.0
    begin, results = time.monotonic(), {}
    for interpreter in found:
        for check in chosen:
            measures = perform(check, interpreter, doubt)
            results[check.name, interpreter.id] = all(m.is_ok for m in measures)
            show(check, interpreter, measures, arguments.verbose)
    summary(results, [check.name for check in chosen], [i.id for i in found])
    for name, reason in missing.items():
        print(f"not covered: {name}: {reason}")
    wrong = sum(not ok for ok in results.values())
    print(f"{len(results) - wrong} right, {wrong} wrong in {time.monotonic() - begin:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
