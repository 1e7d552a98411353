#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs: programs bare, under scalene and under its peers, interleaved in one run.

Every program does the same work in every run. Ends with 0 if the bounds on scalene's CPU-only mode
are kept, 1 if one is broken, 3 if the machine is too noisy to tell and has no instruction counter.
"""
from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from lib import counter, document, interpreters, meter, overhead_report, tools, workloads
from lib.interpreters import ROOT, harness
from lib.ratios import BROKEN, UNDECIDED, Bound, Verdict, judge
from lib.results import Account, Look, Results, Run, account
from lib.tools import AGAIN, BARE, OURS, Tool
from lib.workloads import WORKLOADS, Prepared, Workload

BOUNDS = (
    Bound("wall", False, 1.01),
    Bound("wall", True, 1.03),
    Bound("CPU", True, 1.03),
)
# A run that takes this much longer than planned hangs.
PATIENCE = 20.0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.12", metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.5, help="that a bare run should take")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="programs by name")
    parser.add_argument("--no-peers", action="store_true", help="scalene against bare only")
    parser.add_argument("--quick", action="store_true", help="three programs, two rounds")
    parser.add_argument(
        "--build", type=Path, default=harness.BUILD, metavar="DIR", help="another build"
    )
    parser.add_argument(
        "--doc",
        type=Path,
        metavar="FILE",
        help="write the tables there (doc/overhead.md if nothing is left out)",
    )
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds = 2
    is_whole = not (arguments.quick or arguments.only or arguments.no_peers)
    if is_whole and arguments.doc is None:
        arguments.doc = ROOT / "doc" / "overhead.md"
    return arguments


def chosen(arguments: argparse.Namespace) -> list[Workload]:
    if arguments.only:
        return [w for w in WORKLOADS if any(text in w.name for text in arguments.only)]
    return [w for w in WORKLOADS if not arguments.quick or w.name in workloads.QUICK]


class RunFailed(Exception):
    """A run that did not end well or left no profile; the text says how."""


@dataclass
class Bench:
    """What all runs share, and what they brought."""

    tools: list[Tool]
    where: Path
    env: dict[str, str]
    seconds: float
    can_count: bool
    results: Results = field(default_factory=Results)

    def execute(
        self,
        tool: Tool,
        program: list[str],
        env: dict[str, str],
        prefix: list[str],
        with_memory: bool,
    ) -> meter.Usage:
        if tool.output:
            tool.output.unlink(missing_ok=True)
        limit_s = 30 + PATIENCE * self.seconds
        usage = meter.measure([*prefix, *tool.prefix, *program], env, limit_s, with_memory)
        if usage.status != 0:
            raise RunFailed(f"ended with {usage.status}, said: {last_line(usage.said)}")
        if tool.output and not (tool.output.exists() and tool.output.stat().st_size):
            raise RunFailed("wrote no profile")
        return usage

    def run(self, tool: Tool, prepared: Prepared) -> Run:
        prepared.result.unlink(missing_ok=True)
        env = prepared.environment(self.env)
        usage = self.execute(tool, prepared.program, env, [], False)
        work = prepared.work()
        return Run(usage.wall_s, usage.cpu_s, work["wall_s"], work["process_cpu_s"])

    def look(self, tool: Tool, prepared: Prepared) -> Look:
        """The untimed run: warms the caches up, shows memory, counts instructions."""
        output = self.where / "count"
        output.unlink(missing_ok=True)
        prefix = counter.prefix(output) if self.can_count else []
        env = prepared.environment(self.env)
        usage = self.execute(tool, prepared.program, env, prefix, True)
        return Look(usage.peak_bytes, counter.read(output))

    def measure(self, prepared: Prepared, rounds: int) -> None:
        """All runs of a program. A tool that fails once is left out of the rest of them."""
        name, results = prepared.workload.name, self.results
        runs: dict[str, list[Run]] = {}
        accounts: list[Account] = []
        results.looks[name] = {}
        results.runs[name] = runs
        for number in range(-1, rounds):
            for tool in turned(self.tools, number):
                if (name, tool.name) in results.failures:
                    continue
                try:
                    if number < 0:
                        results.looks[name][tool.name] = self.look(tool, prepared)
                        continue
                    runs.setdefault(tool.name, []).append(self.run(tool, prepared))
                    if tool.name == OURS and tool.output:
                        accounts.append(account(tool.output))
                except (RunFailed, workloads.WorkloadFailed, OSError) as error:
                    results.failures[name, tool.name] = str(error)
                    runs.pop(tool.name, None)
        if accounts:
            results.accounts[name] = accounts
        if not (BARE in runs and AGAIN in runs):
            del results.runs[name]  # nothing to compare with

    def start_up(self, rounds: int) -> None:
        program = [str(workloads.OWN / "start_up.py")]
        for number in range(-1, rounds):
            for tool in turned(self.tools, number):
                try:
                    usage = self.execute(tool, program, self.env, [], False)
                except RunFailed as error:
                    self.results.failures["start-up", tool.name] = str(error)
                    continue
                if number >= 0:
                    self.results.start_up_s.setdefault(tool.name, []).append(usage.wall_s)


def turned(items: list[Tool], number: int) -> list[Tool]:
    """The tools in another order each round, so that none always follows the same one."""
    start = number % len(items)
    return items[start:] + items[:start]


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "nothing"


def judged(results: Results) -> list[Verdict]:
    instructions, known = results.instruction_ratios(OURS), results.known_ratios(OURS)
    return [
        judge(
            bound,
            results.medians(bound.measure, OURS),
            results.medians(bound.measure, AGAIN),
            instructions,
            known,
        )
        for bound in BOUNDS
    ]


def introduction(arguments: argparse.Namespace, installed: tools.Suite, python: str) -> str:
    command = "make overhead"
    if len(sys.argv) > 1:
        command += f' ARGS="{shlex.join(sys.argv[1:])}"'
    versions = ", ".join(f"{name} {version}" for name, version in installed.versions.items())
    return (
        f"`{command}` on {interpreters.machine()}.\n"
        f"{python}; {versions}.\n"
        f"{len(chosen(arguments))} of {len(WORKLOADS)} programs, {arguments.rounds} interleaved rounds "
        f"of {arguments.seconds:g} s a run.\nA cell is the median ratio to the bare run of the same "
        "round (quartiles of the rounds; ratio of the minima)."
    )


def measure_all(
    arguments: argparse.Namespace, installed: tools.Suite, where: Path
) -> tuple[Bench, str]:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    env.pop("PYTHONPATH", None)
    uncounted = counter.absence(where)
    compared = tools.choose(installed, arguments.build, where, not arguments.no_peers)
    bench = Bench(compared, where, env, arguments.seconds, not uncounted)
    for workload in chosen(arguments):
        try:
            prepared = workloads.prepare(
                workload, installed.python, installed.benchmarks, where, arguments.seconds, env
            )
        except workloads.WorkloadFailed as error:
            bench.results.failures[workload.name, BARE] = last_line(str(error))
            continue
        bench.measure(prepared, arguments.rounds)
        ratio = bench.results.ratio("wall", workload.name, OURS)
        print(
            f"{workload.name:20} {overhead_report.ratio_text(ratio)}", file=sys.stderr, flush=True
        )
    bench.start_up(2 * arguments.rounds)
    return bench, uncounted


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose([arguments.python])
    if not found or found[0].place != "here" or not chosen(arguments):
        reason = missing.get(arguments.python, "the programs cannot be installed for it")
        print(f"overhead: no such program, or {arguments.python}: {reason}", file=sys.stderr)
        return 2
    sources = {workload.source for workload in WORKLOADS if workload.source}
    installed = tools.suite(found[0], sources)
    with tempfile.TemporaryDirectory(prefix="scalene-overhead-") as name:
        bench, uncounted = measure_all(arguments, installed, Path(name).resolve())
    if not bench.results.medians("wall", OURS):
        print("overhead: no run of scalene worked", bench.results.failures, file=sys.stderr)
        return 1
    verdicts = judged(bench.results)
    compared = [tool.name for tool in bench.tools if tool.name != BARE]
    python = f"CPython {found[0].id}"
    text = introduction(arguments, installed, python) + "\n\n"
    text += overhead_report.write(bench.results, compared, verdicts, uncounted)
    print(text)
    if arguments.doc:
        document.update(arguments.doc, "overhead", text)
    outcomes = {verdict.outcome for verdict in verdicts}
    has_failed = any(tool in (BARE, AGAIN, OURS) for _, tool in bench.results.failures)
    if BROKEN in outcomes or has_failed:
        return 1
    return 3 if UNDECIDED in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
