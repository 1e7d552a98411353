#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What measuring costs within one process: the same work with measuring on and off, in turns.

Two processes that do the same work differ by more than what is to be measured here: one has its code
and its heap where the caches like them, the other has not. So measuring is switched on and off within one,
and what is left of scalene while it is off, hooks that do nothing, is compared with bare runs of many
short processes in turn.
"""
from __future__ import annotations

import argparse
import json
import math
import shlex
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lib import document, interpreters, meter, overhead_report, tools, workloads
from lib.workloads import SWITCHING, Workload

MODES = {"CPU only": "--cpu-only", "full": "--memory"}
WITH_COLLECTOR = "{}, with the collector"
COLUMNS = {
    "CPU only": "CPU only, on / off",
    WITH_COLLECTOR.format("CPU only"): "with the collector",
    "full": "full, on / off",
    WITH_COLLECTOR.format("full"): "with the collector",
    "idle": "off / bare",
}
TRIMMED = 0.1  # of the turns, at each end: those in which the machine did something else
SURE = 2.0  # standard errors: 95%
BLOCK_S, BLOCKS = 0.01, 25  # of CPU time, for the work of a process; the shortest block counts


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.12", metavar="ID")
    parser.add_argument("--turns", type=int, default=100, help="of four blocks: on, off, off, on")
    parser.add_argument("--seconds", type=float, default=0.04, help="of CPU time, for a block")
    parser.add_argument("--limit", type=float, default=24, help="CPU seconds for all blocks of a program")
    parser.add_argument("--rounds", type=int, default=40, help="of short processes, bare and idle")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="add to what is kept there")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="programs by name or group")
    parser.add_argument("--modes", nargs="+", default=[*MODES, "idle"], choices=[*MODES, "idle"])
    document.add_arguments(parser)
    return parser.parse_args()


@dataclass(frozen=True)
class Cost:
    """A ratio and how sure it is."""

    ratio: float
    error: float  # half the 95% interval

    def __str__(self) -> str:
        return f"{self.ratio:.3f} ± {self.error:.3f}"


def trimmed(values: list[float]) -> Cost:
    """The mean without the extremes, and its error by what is left when those are cut short."""
    values = sorted(values)
    n_cut = int(TRIMMED * len(values))
    kept = values[n_cut : len(values) - n_cut]
    short = [kept[0]] * n_cut + kept + [kept[-1]] * n_cut
    error = statistics.stdev(short) / ((1 - 2 * TRIMMED) * math.sqrt(len(values)))
    return Cost(statistics.mean(kept), SURE * error)


@dataclass
class Bench:
    installed: tools.Suite
    scalene: str
    where: Path
    arguments: argparse.Namespace

    def prefix(self, option: str) -> list[str]:
        return [self.scalene, "run", "--off", option, "--python", self.installed.python,
                "-o", str(self.where / "ours.json")]

    def run(self, program: list[str], prefix: list[str], env: dict[str, str], limit_s: float) -> None:
        usage = meter.measure([*prefix, *program], env, limit_s)
        if usage.status != 0:
            raise RuntimeError(f"{shlex.join(program)} ended with {usage.status}: {usage.said[-300:]}")

    def turns(self, workload: Workload, option: str, env: dict[str, str]) -> tuple[Cost, Cost]:
        """On against off, of the target alone and with what the collector says it took beside it:
        for its start and its end, too, and while off."""
        folder, arguments = self.where / f"{workload.name}{option}", self.arguments
        script = workloads.lay_out(workload, self.installed.benchmarks, folder)
        result = self.where / "turns.json"
        env = {**workloads.environment(workload, result, env), "BENCH_CLOCK": workload.clock,
               "BENCH_SECONDS": str(arguments.seconds * workload.stretch),
               "BENCH_TURNS": str(arguments.turns), "BENCH_LIMIT_S": str(arguments.limit)}
        limit_s = 60 + 10 * arguments.limit
        self.run([str(script), *workload.arguments], self.prefix(option), env, limit_s)
        told = json.loads(result.read_text())
        facts = json.loads((self.where / "ours.json").read_text())["scalene"]
        beside = facts["collector_cpu_seconds"] / told["on_s"]
        cost = trimmed([(on + on_again) / (off + off_again)
                        for on, off, off_again, on_again in told["turns"]])
        return cost, Cost(cost.ratio * (1 + beside), cost.error)

    def idle(self, workload: Workload, env: dict[str, str]) -> Cost:
        """Off against bare: processes in turn, in an order that changes."""
        prepared = workloads.prepare(workload, self.installed.python, self.installed.benchmarks,
                                     self.where, BLOCK_S, env)
        prefixes = {"bare": [self.installed.python], "idle": self.prefix("--memory")}
        env = {**prepared.environment(env), "BENCH_REPEAT": str(BLOCKS)}
        ratios = []
        for number in range(self.arguments.rounds):
            took = {}
            for name in sorted(prefixes, reverse=number % 2 == 1):
                self.run(prepared.program, prefixes[name], env, 60)
                took[name] = prepared.work()["least_s"]
            ratios.append(took["idle"] / took["bare"])
        return trimmed(ratios)

    def measure(self, workload: Workload, env: dict[str, str]) -> dict[str, Cost]:
        modes, costs = self.arguments.modes, {}
        for mode in (mode for mode in MODES if mode in modes):
            costs[mode], costs[WITH_COLLECTOR.format(mode)] = self.turns(workload, MODES[mode], env)
        if "idle" in modes and workload.group != SWITCHING:  # whose threads are never alone
            costs["idle"] = self.idle(workload, env)
        return costs


def table(found: dict[str, dict[str, Cost]], modes: list[str]) -> str:
    """Idle costs multiply: what is off is there when it is on, too."""
    rows = [[name, *(str(costs.get(mode, "")) for mode in modes)] for name, costs in found.items()]
    return overhead_report.table(["program", *(COLUMNS[mode] for mode in modes)], rows)


def kept(path: Path | None, found: dict[str, dict[str, Cost]]) -> dict[str, dict[str, Cost]]:
    """With what earlier runs have found, for a run in pieces."""
    if not path:
        return found
    old = json.loads(path.read_text()) if path.exists() else {}
    for name, costs in found.items():
        old.setdefault(name, {}).update({mode: [c.ratio, c.error] for mode, c in costs.items()})
    path.write_text(json.dumps(old, indent=1))
    return {w.name: {mode: Cost(*pair) for mode, pair in old[w.name].items()}
            for w in workloads.WORKLOADS if w.name in old}


def main() -> int:
    arguments = parse_arguments()
    installed = tools.installed_for("toggle", arguments.python, workloads.SOURCES)
    if not installed:
        return 2
    env = tools.environment()
    found: dict[str, dict[str, Cost]] = {}
    with tempfile.TemporaryDirectory(prefix="scalene-toggle-") as name:
        where = Path(name).resolve()
        bench = Bench(installed, tools.own_copy(arguments.build, where / "bin"), where, arguments)
        for workload in workloads.chosen(arguments.only):
            found[workload.name] = bench.measure(workload, env)
            kept(arguments.keep, found)
            said = ", ".join(f"{mode} {cost}" for mode, cost in found[workload.name].items())
            print(f"{workload.name}: {said}", file=sys.stderr, flush=True)
    found = kept(arguments.keep, found)
    modes = [mode for mode in COLUMNS if any(mode in costs for costs in found.values())]
    text = (f"`make toggle-cost` on {interpreters.machine()}, CPython {arguments.python}.\n"
            f"CPU time of the same work: up to {arguments.turns} turns of {arguments.seconds:g} s (or one "
            f"loop, if that takes longer) on, off, off, on;\noff against bare: {arguments.rounds} pairs of "
            f"processes, the shortest of {BLOCKS} times in each. Trimmed means with their 95% intervals.\n\n")
    text += table(found, modes)
    print(text)
    if arguments.doc:
        document.update(arguments.doc, "toggle-cost", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
