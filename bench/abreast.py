#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs on a machine that is not ours alone: bare and profiled, at once and on one CPU.

One run after the other sees another machine: its neighbours and its clock change from second to second by more than what
is to be measured. Here the program runs bare, bare once more and under scalene at the same time, all three kept to one
CPU, on which the kernel lets them take turns of a few milliseconds: whatever it does meanwhile, it does to all three.
The CPU time that each takes for the same work is compared. (Turns of a tenth of a second, which a real-time scheduler
would give them, are too long: bare differs from bare by 20% then.) The collector has the other CPUs.

Where things lie in memory makes a program faster or slower, and all that is different moves them: the length of a path,
or an agent. So every run has them somewhere else, by chance.

What the collector takes is seen in a run alone, for it works by the clock, and abreast everything takes three times as
long. It is the CPU time of the command, from its start to the profile written, less that of the program itself: both are
the kernel's figures of one run, so that nothing has to be compared with another.

Ends with 0 if the bounds are kept, 1 if one is broken, 3 if one is missed by no more than the noise.
"""
from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from lib import document, interpreters, overhead_report, tools, workloads
from lib.bounds import BOUNDS
from lib.ratios import BROKEN, UNDECIDED, Verdict, judge_apart
from lib.tools import AGAIN, BARE, FULL, OURS, Tool
from lib.workloads import Prepared

LIMIT_S = 300
LOOK_EVERY_S = 0.05
WITH_COLLECTOR = "{}, with the collector"
TITLES = {AGAIN: "bare again", OURS: "CPU only", WITH_COLLECTOR.format(OURS): "with the collector",
          FULL: "full", WITH_COLLECTOR.format(FULL): "with the collector"}


@dataclass(frozen=True)
class Took:
    """CPU time of a run: of the process until its work was done, and of the whole command."""

    work_s: float
    all_s: float


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.12", metavar="ID")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2.0, help="of CPU time, for a bare run")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="programs by name or group")
    parser.add_argument("--modes", nargs="+", default=["cpu", "full"], choices=["cpu", "full"])
    document.add_arguments(parser)
    return parser.parse_args()


@dataclass
class Bench:
    tools: list[Tool]
    where: Path
    env: dict[str, str]

    def start(self, tool: Tool, prepared: Prepared) -> tuple[subprocess.Popen, Path]:
        result = self.where / f"{tool.name}.result"
        result.unlink(missing_ok=True)
        env = {**prepared.environment(self.env), **padding(), "BENCH_RESULT": str(result),
               "BENCH_CPU": str(max(os.sched_getaffinity(0)))}
        command = [*tool.prefix, *prepared.program]
        return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), result

    def run(self, tools: Sequence[Tool], prepared: Prepared) -> list[Took]:
        """All of them at once."""
        started = [self.start(tool, prepared) for tool in tools]
        return [took(process, result) for process, result in started]

    def measure(self, prepared: Prepared, rounds: int) -> dict[str, list[float]]:
        """By tool, its ratio to the mean of both bare runs, of every round."""
        ratios: dict[str, list[float]] = {}
        for _ in range(rounds):
            for tool in self.tools[2:]:
                bare, again, ours = self.run((*self.tools[:2], tool), prepared)
                ratio = 2 * ours.work_s / (bare.work_s + again.work_s)
                ratios.setdefault(AGAIN, []).append(again.work_s / bare.work_s)
                ratios.setdefault(tool.name, []).append(ratio)
                ratios.setdefault(WITH_COLLECTOR.format(tool.name), []).append(ratio * (1 + self.collector(tool, prepared)))
        return ratios

    def collector(self, tool: Tool, prepared: Prepared) -> float:
        """Its CPU time, over that of the program."""
        alone, = self.run((tool,), prepared)
        processes = json.loads(tool.output.read_text())["scalene"]["processes"]
        program_s = sum(process["total_cpu_seconds"] for process in processes)
        return (alone.all_s - program_s) / program_s


def padding() -> dict[str, str]:
    """Variables of which the program knows nothing; they move what it has in memory."""
    return {f"BENCH_PADDING_{i}": "x" * random.randrange(1200) for i in range(random.randrange(1, 9))}


def took(process: subprocess.Popen, result: Path) -> Took:
    status, used_s = wait_for(process)
    if status != 0:
        raise RuntimeError(f"{process.args}: ended with {status}")
    work_s = json.loads(result.read_text())["process_cpu_s"]
    return Took(work_s, used_s)


def wait_for(process: subprocess.Popen) -> tuple[int, float]:
    """Status of a command, and the CPU time of it and of all that it waited for."""
    for _ in range(int(LIMIT_S / LOOK_EVERY_S)):
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_utime + used.ru_stime
        time.sleep(LOOK_EVERY_S)
    process.kill()
    raise RuntimeError(f"{process.args}: not at its end after {LIMIT_S} s")


def cell(values: list[float]) -> str:
    return f"{statistics.median(values):.3f} ({min(values):.3f}-{max(values):.3f})"


def table(found: dict[str, dict[str, list[float]]]) -> str:
    names = [name for name in TITLES if all(name in ratios for ratios in found.values())]
    rows = [[program, *(cell(ratios[name]) for name in names)] for program, ratios in found.items()]
    for group in dict.fromkeys(w.group for w in workloads.WORKLOADS):
        members = [found[w.name] for w in workloads.WORKLOADS if w.group == group and w.name in found]
        if len(members) > 1:
            medians = [[statistics.median(ratios[name]) for ratios in members] for name in names]
            rows.append([f"**{group}**: median, worst", *(f"{statistics.median(m):.3f}, {max(m):.3f}" for m in medians)])
    return overhead_report.table(["program", *(TITLES[name] for name in names)], rows)


def judged(found: dict[str, dict[str, list[float]]]) -> list[Verdict]:
    """Wall time is judged by the CPU time of the program itself: the collector has a CPU of its own."""
    groups = {w.name: w.group for w in workloads.WORKLOADS}
    verdicts = []
    for bound in BOUNDS:
        column = WITH_COLLECTOR.format(bound.tool) if bound.measure == "CPU" else bound.tool
        within = {program: ratios for program, ratios in found.items() if groups[program] in bound.groups and column in ratios}
        if within:
            values, again = ({p: statistics.median(ratios[name]) for p, ratios in within.items()} for name in (column, AGAIN))
            by = "CPU time of all processes" if bound.measure == "CPU" else "CPU time of the program"
            verdicts.append(judge_apart(bound, values, again, by))
    return verdicts


def main() -> int:
    arguments = parse_arguments()
    installed = tools.installed_for("abreast", arguments.python, workloads.SOURCES)
    if not installed:
        return 2
    env = tools.environment()
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="scalene-abreast-") as name:
        where = Path(name).resolve()
        bench = Bench(tools.choose(installed, arguments.build, where, arguments.modes), where, env)
        for workload in workloads.chosen(arguments.only):
            prepared = workloads.prepare(workload, installed.python, installed.benchmarks, where, arguments.seconds, env)
            found[workload.name] = bench.measure(prepared, arguments.rounds)
            said = ", ".join(f"{tool} {cell(values)}" for tool, values in found[workload.name].items())
            print(f"{workload.name}: {said}", file=sys.stderr, flush=True)
    text = (f"`make abreast` on {interpreters.machine()}, CPython {arguments.python}: {arguments.rounds} rounds of "
            f"{arguments.seconds:g} s of CPU time.\nCPU time of the process to the end of its work, start included, over the mean "
            f"of the two bare runs beside it: median (least-most).\nWith the collector: and what it takes of a run alone, to the profile written.\n\n")
    verdicts = judged(found)
    text += table(found) + "\n\n" + overhead_report.verdicts(verdicts)
    print(text)
    if arguments.doc:
        document.update(arguments.doc, "abreast", text)
    outcomes = {verdict.outcome for verdict in verdicts}
    return 1 if BROKEN in outcomes else 3 if UNDECIDED in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
