#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs: programs bare, under scalene and under its peers, interleaved in one run.

Every program does the same work in every run. Ends with 0 if the bounds on scalene's two modes are
kept, 1 if one is broken, 3 if the machine is too noisy to tell and has no instruction counter: abreast.py can tell then.
"""
from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from lib import counter, document, interpreters, meter, overhead_report, tools, workloads
from lib.bounds import BOUNDS
from lib.ratios import BROKEN, UNDECIDED, Verdict, judge
from lib.results import Look, Results, Run, account
from lib.tools import AGAIN, BARE, FULL, OURS, Tool
from lib.workloads import WORKLOADS, Prepared, Workload

MODES = ("cpu", "full", "peers")
# A run that takes this much longer than planned hangs.
PATIENCE = 20.0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.12", metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer-rounds", type=int, default=2, help="of the other profilers")
    parser.add_argument(
        "--peers-on", nargs="+", default=[""], metavar="TEXT", help="programs run under peers: all"
    )
    parser.add_argument("--seconds", type=float, default=2.5, help="that a bare run should take")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="TEXT", help="programs by name or group"
    )
    parser.add_argument(
        "--minutes", type=float, default=0, help="begin no further program after so long"
    )
    parser.add_argument("--modes", nargs="+", default=list(MODES), choices=MODES)
    parser.add_argument("--quick", action="store_true", help="three programs, two rounds")
    document.add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds = 2
    is_whole = not (arguments.quick or arguments.only or set(arguments.modes) != set(MODES))
    if is_whole and arguments.doc is None:
        arguments.doc = document.OVERHEAD
    return arguments


def chosen(arguments: argparse.Namespace) -> list[Workload]:
    found = workloads.chosen(arguments.only)
    return [w for w in found if arguments.only or not arguments.quick or w.name in workloads.QUICK]


class RunFailed(Exception):
    """A run that did not end well or left no profile; the text says how."""


@dataclass
class Bench:
    """What all runs share, and what they brought."""

    tools: list[Tool]
    where: Path
    env: dict[str, str]
    seconds: float
    peer_rounds: int
    peers_on: list[str]
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
        limit_s = 60 + PATIENCE * self.seconds
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
        return Run(
            usage.wall_s, usage.cpu_s, work["wall_s"], work["process_cpu_s"], work["cpu_s"]
        )

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
        results.looks[name] = {}
        results.runs[name] = runs
        results.groups[name] = prepared.workload.group
        for number in range(-1, rounds):
            for tool in turned(self.tools, number):
                is_over = tool.is_peer and not self.has_peers(name, number)
                if is_over or (name, tool.name) in results.failures:
                    continue
                try:
                    if number < 0:
                        results.looks[name][tool.name] = self.look(tool, prepared)
                        continue
                    runs.setdefault(tool.name, []).append(self.run(tool, prepared))
                    if tool.output and not tool.is_peer:
                        found = results.accounts.setdefault((name, tool.name), [])
                        found.append(account(tool.output))
                except (RunFailed, workloads.WorkloadFailed, OSError) as error:
                    results.failures[name, tool.name] = str(error)
                    runs.pop(tool.name, None)
        if not (BARE in runs and AGAIN in runs):
            del results.runs[name]  # nothing to compare with

    def has_peers(self, program: str, number: int) -> bool:
        return number < self.peer_rounds and any(text in program for text in self.peers_on)

    def start_up(self, rounds: int) -> None:
        program = [str(workloads.OWN / "start_up.py")]
        for number in range(-1, rounds):
            for tool in turned(self.tools, number):
                if tool.is_peer and number >= self.peer_rounds:
                    continue
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
    return [
        judge(
            bound,
            results.medians(bound.measure, bound.tool, bound.groups),
            results.medians(bound.measure, AGAIN, bound.groups),
            results.within(results.instruction_ratios(bound.tool), bound.groups),
            results.within(results.known_ratios(bound.tool), bound.groups),
            results.least("CPU", bound.tool, bound.groups),
            results.least("CPU", AGAIN, bound.groups),
        )
        for bound in BOUNDS
        if results.medians(bound.measure, bound.tool, bound.groups)
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
        f"of {arguments.seconds:g} s a run (others than scalene: {arguments.peer_rounds}).\nA cell is the median ratio to the bare run of the same "
        "round (quartiles of the rounds; ratio of the minima)."
    )


def measure_all(
    arguments: argparse.Namespace, installed: tools.Suite, where: Path
) -> tuple[Bench, str]:
    env = tools.environment()
    uncounted = counter.absence(where)
    compared = tools.choose(installed, arguments.build, where, arguments.modes)
    bench = Bench(
        compared,
        where,
        env,
        arguments.seconds,
        arguments.peer_rounds,
        arguments.peers_on,
        not uncounted,
    )
    begin_s = time.monotonic()
    for workload in chosen(arguments):
        if arguments.minutes and time.monotonic() - begin_s > 60 * arguments.minutes:
            bench.results.skipped.append(workload.name)
            continue
        try:
            prepared = workloads.prepare(
                workload, installed.python, installed.benchmarks, where, arguments.seconds, env
            )
        except (workloads.WorkloadFailed, subprocess.SubprocessError) as error:
            bench.results.failures[workload.name, BARE] = last_line(str(error))
            continue
        bench.measure(prepared, arguments.rounds)
        progress = overhead_report.progress(bench.results, workload.name)
        print(progress, file=sys.stderr, flush=True)
    bench.start_up(2 * arguments.rounds)
    return bench, uncounted


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose([arguments.python])
    if not found or found[0].place != "here" or not chosen(arguments):
        reason = missing.get(arguments.python, "the programs cannot be installed for it")
        print(f"overhead: no such program, or {arguments.python}: {reason}", file=sys.stderr)
        return 2
    installed = tools.suite(found[0], workloads.SOURCES)
    with tempfile.TemporaryDirectory(prefix="scalene-overhead-") as name:
        bench, uncounted = measure_all(arguments, installed, Path(name).resolve())
    if not any(bench.results.medians("wall", tool) for tool in (OURS, FULL)):
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
    has_failed = any(tool in (BARE, AGAIN, OURS, FULL) for _, tool in bench.results.failures)
    if BROKEN in outcomes or has_failed:
        return 1
    return 3 if UNDECIDED in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
