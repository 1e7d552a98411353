#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the collector costs by the number of threads; whether rings overflow at the highest rate.

Parked threads have to be looked at from outside; busy ones fill their rings. A lost sample is no
failure if it is counted and shown; a run that fails is.
"""
from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lib import document, interpreters, meter, tools, workloads
from lib.interpreters import Interpreter
from lib.overhead_report import table

HIGHEST_RATE = ("--cpu-sampling-rate", "0.0001")
LIMIT_S = 120.0


@dataclass(frozen=True)
class Case:
    title: str
    program: str
    n_threads: int
    options: tuple[str, ...] = ()


CASES = (
    Case("1 thread", "parked_threads.py", 1),
    Case("10 threads, 9 parked", "parked_threads.py", 10),
    Case("100 threads, 99 parked", "parked_threads.py", 100),
    Case("1000 threads, 999 parked", "parked_threads.py", 1000),
    Case("16 busy in zlib", "busy_threads.py", 16),
    Case("16 busy in zlib, highest rate", "busy_threads.py", 16, HIGHEST_RATE),
)


class CaseFailed(Exception):
    """A run that did not end well; the text says what it said."""


@dataclass(frozen=True)
class Outcome:
    wall_s: float
    cpu_s: float  # of the whole tree
    target_cpu_s: float  # by the program's own clock, shortly before its end
    profile: dict

    @property
    def rest_s(self) -> float:
        return self.cpu_s - self.target_cpu_s


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.12", metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--seconds", type=float, default=5.0, help="that a run takes")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="cases by title")
    document.add_arguments(parser)
    arguments = parser.parse_args()
    if not arguments.only and arguments.doc is None:
        arguments.doc = document.OVERHEAD
    return arguments


def run(case: Case, prefix: list[str], where: Path, seconds: float) -> Outcome:
    result, profile = where / "result.json", where / "profile.json"
    for old in (result, profile):
        old.unlink(missing_ok=True)
    program = [str(workloads.OWN / case.program), str(seconds), str(case.n_threads)]
    env = {**os.environ, "BENCH_RESULT": str(result)}
    usage = meter.measure([*prefix, *program], env, LIMIT_S)
    if usage.status != 0 or not result.exists():
        raise CaseFailed(f"{case.title} ended with {usage.status}, said: {usage.said}")
    target_cpu_s = json.loads(result.read_text())["process_cpu_s"]
    facts = json.loads(profile.read_text())["scalene"] if profile.exists() else {}
    return Outcome(usage.wall_s, usage.cpu_s, target_cpu_s, facts)


def row(
    case: Case, interpreter: Interpreter, scalene: str, where: Path, seconds: float
) -> list[str]:
    """The collector's part is what the tree used beside the target, less the same of a bare run."""
    bare = run(case, [interpreter.path], where, seconds)
    prefix = [scalene, "run", "--cpu-only", *case.options, "--python", interpreter.path]
    ours = run(case, [*prefix, "-o", str(where / "profile.json")], where, seconds)
    if not ours.profile:
        raise CaseFailed(f"{case.title}: there is no profile")
    drops = {reason: count for reason, count in ours.profile["drops"].items() if count}
    return [
        case.title,
        f"{(ours.rest_s - bare.rest_s) / ours.wall_s:.4f}",
        f"{ours.profile['collector_cpu_seconds'] / ours.wall_s:.4f}",
        f"{ours.profile['agent_cpu_seconds'] / ours.target_cpu_s:.4f}",
        f"{ours.profile['samples'] / ours.target_cpu_s:.0f}",
        str(ours.profile["drops"]["ring_full"]),
        ", ".join(f"{count} {name}" for name, count in drops.items() if name != "ring_full")
        or "none",
    ]


HEAD = [
    "",
    "collector",
    "it claims",
    "agent claims",
    "samples per CPU s",
    "ring full",
    "other drops",
]


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose([arguments.python])
    if not found or found[0].place != "here":
        reason = missing.get(arguments.python, "it does not run on this system itself")
        print(f"threads: {arguments.python}: {reason}", file=sys.stderr)
        return 2
    rows, failures = [], []
    with tempfile.TemporaryDirectory(prefix="scalene-threads-") as name:
        where = Path(name).resolve()
        scalene = tools.own_copy(arguments.build, where / "bin")
        for case in CASES:
            if arguments.only and not any(text in case.title for text in arguments.only):
                continue
            try:
                rows.append(row(case, found[0], scalene, where, arguments.seconds))
            except CaseFailed as error:
                failures.append(str(error))
                rows.append([case.title, *["failed"] * (len(HEAD) - 1)])
    options = f' ARGS="{shlex.join(sys.argv[1:])}"' if len(sys.argv) > 1 else ""
    text = (
        f"`make thread-cost{options}` on {interpreters.machine()}; CPython {found[0].id}, "
        f"{arguments.seconds:g} s a run.\nCollector: CPU seconds per second of wall time, by the "
        "kernel's account and by its own. Agent: per CPU second of the target.\n\n"
    ) + table(HEAD, rows)
    print(text)
    print(*failures, sep="\n", file=sys.stderr)
    if arguments.doc:
        document.update(arguments.doc, "thread-cost", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
