#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a fork costs bare and under scalene: CPU time of parent and child, and of the collector.

The runs are interleaved; of each the cheapest round counts. Fails if a child that ends at once costs
half a millisecond more than bare, or one that leaves a record a millisecond in the collector.
"""
from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from lib import interpreters
from lib.interpreters import Interpreter, harness

PROGRAM = Path(__file__).resolve().parent / "programs" / "forks.py"
MODES = {"bare": [], "CPU only": ["--cpu-only"], "full": ["--memory"]}
ADDED_MS_MAX = 0.5
COLLECTOR_MS_MAX = 1.0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=["3.12"], metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--forks", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def run(interpreter: Interpreter, mode: str, arguments: list[str], profile: Path) -> tuple[float, float, float]:
    """The two percentiles, and the collector's milliseconds for each process it had."""
    scalene = [str(harness.SCALENE), "run", "-o", str(profile), *MODES[mode], "--python"] if mode != "bare" else []
    command = [*interpreter.prefix, *scalene, interpreter.path, str(PROGRAM), *arguments]
    done = subprocess.run(command, check=True, timeout=600, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    low, median = map(float, done.stdout.split())
    facts = json.loads(profile.read_text())["scalene"] if scalene else {"collector_cpu_seconds": 0, "processes": [0]}
    return low, median, 1000 * facts["collector_cpu_seconds"] / len(facts["processes"])


def compare(interpreter: Interpreter, what: str, arguments: argparse.Namespace, profile: Path) -> bool:
    best: dict[str, tuple[float, ...]] = {}
    for _ in range(arguments.rounds):
        for mode in MODES:
            found = run(interpreter, mode, [what, str(arguments.forks)], profile)
            best[mode] = tuple(map(min, best.get(mode, found), found))
    for mode, (low, median, collector) in best.items():
        print(f"{interpreter.id} {what:6} {mode:9} {low:.2f} ms, median {median:.2f}"
              + (f"; +{low - best['bare'][0]:.2f} ms; collector {collector:.2f} ms a process" if mode != "bare" else ""))
    if what == "end":
        return best["full"][0] - best["bare"][0] <= ADDED_MS_MAX
    return best["full"][2] <= COLLECTOR_MS_MAX


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose_aloud(arguments.python)
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(interpreter, what, arguments, Path(folder, "profile.json"))
                   for interpreter in found for what in ("end", "block")]
    print(f"on {interpreters.machine()}")
    return 0 if all(results) and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
