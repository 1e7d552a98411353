#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs CPython's own tests bare and under scalene, and compares how every test case ended.

Each file is run bare and under the highest sampling rate. Ends with status
1 if a difference was ours or nothing could be compared, 3 if there was no time for all.
"""
from __future__ import annotations

import argparse
import hashlib
import math
import os
import shlex
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterator

from lib import comparison, compatibility, cpython_files, document, interpreters, regrtest
from lib.comparison import DIFFERENT, VOID, File, Outcome
from lib.cpython_files import WIDTH
from lib.interpreters import Interpreter, harness
from lib.regrtest import Place

AGENTS = ("libscalene.so", "libscalene-cpu.so")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="test_os, test_json")
    parser.add_argument("--all", action="store_true", help="the long files, too")
    parser.add_argument("--repeat", type=int, default=1, help="runs under scalene of each file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at once")
    parser.add_argument("--scalene", type=Path, default=harness.SCALENE, metavar="PATH")
    parser.add_argument("--keep", metavar="FOLDER", help="where to keep output and profiles")
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="goes on where an earlier command ended"
    )
    parser.add_argument(
        "--minutes", type=float, metavar="N", help="begin no further file after so long (--results)"
    )
    parser.add_argument(
        "--doc",
        type=Path,
        metavar="FILE",
        help="write the table there (doc/compatibility.md if nothing is left out)",
    )
    arguments = parser.parse_args()
    if arguments.doc is None and not (arguments.python or arguments.only):
        arguments.doc = document.COMPATIBILITY
    return arguments


def build_of(scalene: Path) -> str:
    """Results hold for one build of the program and its agents."""
    digest = hashlib.sha256()
    for path in [scalene, *(scalene.parent / name for name in AGENTS)]:
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()[:12]


def show(outcome: Outcome) -> None:
    seconds = "".join(f"{taken:6.1f} s" for taken in outcome.seconds)
    print(
        f"{outcome.interpreter:12} {outcome.name:{WIDTH}} {outcome.summary:24} "
        f"{seconds:16}  {outcome.verdict}",
        flush=True,
    )
    for case, words in outcome.told.items():
        print(f"    {case}: {words}", flush=True)


class Suite:
    """What is run, and what is known of it already."""

    def __init__(self, arguments: argparse.Namespace, folder: Path):
        self.arguments, self.folder = arguments, folder
        self.build = build_of(arguments.scalene)
        self.known = comparison.load(arguments.results)
        self.names = arguments.only or cpython_files.names(arguments.all)
        self.end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else math.inf
        self.n_left = 0  # files that were not begun

    def cover(self, interpreter: Interpreter) -> list[Outcome]:
        """All files on one interpreter, in the order of the table."""
        place = Place(interpreter, self.folder / interpreter.id, str(self.arguments.scalene))
        names = regrtest.present(interpreter, self.names)
        done = {name: self.known.get((interpreter.id, self.build, name)) for name in names}
        outcomes = {name: outcome for name, outcome in done.items() if outcome}
        for outcome in outcomes.values():
            show(outcome)
        todo = [File(place, name, self.arguments.repeat) for name in names if not done[name]]
        for outcome in self.perform(todo):
            outcomes[outcome.name] = outcome
            comparison.append(self.arguments.results, outcome)
            show(outcome)
        return [outcomes[name] for name in names if name in outcomes]

    def begin(self, file: File) -> File | None:
        return file.perform() if time.monotonic() < self.end else None

    def perform(self, files: list[File]) -> Iterator[Outcome]:
        """Differences are looked at again one by one, in the quiet."""
        again = []
        with ThreadPoolExecutor(self.arguments.jobs) as pool:
            for file in pool.map(self.begin, files):
                if file is None:
                    self.n_left += 1
                elif file.different:
                    again.append(file)
                    name = f"{file.place.interpreter.id:12} {file.name:{WIDTH}}"
                    print(f"{name} once more, at the end", flush=True)
                else:
                    yield file.outcome(self.build)
        for file in again:
            file.perform_again()
            yield file.outcome(self.build)


def show_interpreter(interpreter: Interpreter, outcomes: list[Outcome], seconds: float) -> None:
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    n_cases = sum(outcome.n_cases for outcome in outcomes)
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts.update(outcome.counts)
    told = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items())
    print(f"{interpreter.id}: {len(outcomes)} files, {n_cases} cases: {told}; {seconds:.0f} s")
    numbers = ", ".join(f"{what} {n}" for what, n in counts.items())
    print(f"{interpreter.id}: {numbers}", flush=True)


def cover_all(
    suite: Suite, found: list[Interpreter], missing: dict[str, str]
) -> dict[str, list[Outcome]]:
    """The outcomes by release; an interpreter that has none is named among the missing."""
    covered: dict[str, list[Outcome]] = {}
    for interpreter in found:
        begin = time.monotonic()
        outcomes = suite.cover(interpreter)
        regrtest.end_leftovers()
        if all(outcome.verdict == VOID for outcome in outcomes):
            why = "; ".join(f"{outcome.name}: {outcome.summary}" for outcome in outcomes)
            missing[interpreter.id] = why or "came without these tests"
            continue
        covered[regrtest.release(interpreter)] = outcomes
        show_interpreter(interpreter, outcomes, time.monotonic() - begin)
    return covered


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose(arguments.python)
    machine = interpreters.machine()
    print(f"on {machine}")
    regrtest.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="scalene-cpython-") as temporary:
        folder = Path(arguments.keep or temporary).resolve()
        suite = Suite(arguments, folder)
        covered = cover_all(suite, found, missing)
    for name, reason in missing.items():
        print(f"not covered: {name}: {reason}")
    if suite.n_left:
        print(f"{suite.n_left} files are left")
        return 3
    if arguments.doc and covered:
        shown = [word for word in sys.argv[1:] if word == "--all"]
        command = "make cpython-tests" + (f' ARGS="{shlex.join(shown)}"' if shown else "")
        text = compatibility.document(command, machine, covered)
        document.update(arguments.doc, "cpython-tests", text)
    is_wrong = any(o.verdict == DIFFERENT for outcomes in covered.values() for o in outcomes)
    print("different from bare" if is_wrong else f"as bare on {len(covered)} interpreters")
    return 1 if is_wrong or not covered else 0


if __name__ == "__main__":
    os.nice(10)
    sys.exit(main())
