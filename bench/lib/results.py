# SPDX-License-Identifier: Apache-2.0
"""What the runs of the overhead suite brought: by program and tool, a run per round."""
from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from .ratios import Ratio, paired
from .tools import BARE


@dataclass(frozen=True)
class Run:
    """One timed run: of the whole command, and by the program's own account of its work."""

    wall_s: float
    cpu_s: float
    work_s: float
    target_cpu_s: float  # of the program's process from its start to the end of the work
    work_cpu_s: float = 0.0  # of that process, for the work alone


@dataclass(frozen=True)
class Look:
    """What the untimed run before the first round showed."""

    peak_bytes: int
    instructions: int | None


@dataclass(frozen=True)
class Account:
    """What our own profile claims to have cost and lost; nothing is judged by it."""

    samples: int
    agent_s: float
    collector_s: float
    drops: dict[str, int]


def account(profile: Path) -> Account:
    facts = json.loads(profile.read_text())["scalene"]
    return Account(
        facts["samples"],
        facts["agent_cpu_seconds"],
        facts["collector_cpu_seconds"],
        {reason: count for reason, count in facts["drops"].items() if count},
    )


def rest(run: Run) -> float:
    """CPU time of the tree that the target had not used when its work was done."""
    return run.cpu_s - run.target_cpu_s


MEASURES: dict[str, Callable[[Run], float]] = {
    "wall": lambda run: run.wall_s,
    "work": lambda run: run.work_s,
    "CPU": lambda run: run.cpu_s,
    "target": lambda run: run.work_cpu_s,
}


@dataclass
class Results:
    """A program has runs of a tool only if every one of them worked; else `failures` says why."""

    runs: dict[str, dict[str, list[Run]]] = field(default_factory=dict)
    looks: dict[str, dict[str, Look]] = field(default_factory=dict)
    # Of our own tools: (program, tool) -> an account a round.
    accounts: dict[tuple[str, str], list[Account]] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    start_up_s: dict[str, list[float]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)  # there was no time for these
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def values(self, measure: str, program: str, tool: str) -> list[float]:
        return [MEASURES[measure](run) for run in self.runs[program].get(tool, [])]

    def ratio(self, measure: str, program: str, tool: str) -> Ratio | None:
        """A tool that takes part in the first rounds only is compared with those."""
        values, bare = self.values(measure, program, tool), self.values(measure, program, BARE)
        return paired(values, bare[: len(values)]) if values else None

    def ratios(self, measure: str, tool: str, groups: tuple[str, ...] = ()) -> dict[str, Ratio]:
        """The ratio to bare of every program (of these groups) that the tool could run."""
        found = {
            program: self.ratio(measure, program, tool)
            for program in self.runs
            if not groups or self.groups[program] in groups
        }
        return {program: ratio for program, ratio in found.items() if ratio}

    def medians(
        self, measure: str, tool: str, groups: tuple[str, ...] = ()
    ) -> dict[str, float]:
        found = self.ratios(measure, tool, groups)
        return {program: ratio.median for program, ratio in found.items()}

    def least(self, measure: str, tool: str, groups: tuple[str, ...] = ()) -> dict[str, float]:
        """The ratio of the shortest run to the shortest bare one."""
        found = self.ratios(measure, tool, groups)
        return {program: ratio.of_minima for program, ratio in found.items()}

    def within(self, values: dict[str, float], groups: tuple[str, ...]) -> dict[str, float]:
        return {program: v for program, v in values.items() if self.groups[program] in groups}

    def known_ratios(self, tool: str) -> dict[str, float]:
        """1 + the CPU time of a tool's own processes over that of the target, in the same run.

        The kernel's account of both, less what python takes to end, from the bare runs. So the
        noise between runs is not in it, but neither is what a tool does inside the target: it is
        less than the true ratio.
        """
        return {
            program: 1.0
            + statistics.median(
                (rest(run) - statistics.median(map(rest, runs[BARE]))) / run.target_cpu_s
                for run in runs[tool]
            )
            for program, runs in self.runs.items()
            if tool in runs and BARE in runs
        }

    def instruction_ratios(self, tool: str) -> dict[str, float]:
        ratios = {}
        for program, looks in self.looks.items():
            bare, other = looks.get(BARE), looks.get(tool)
            if bare and other and bare.instructions and other.instructions:
                ratios[program] = other.instructions / bare.instructions
        return ratios

    def memory_added(self, tool: str) -> float | None:
        """Median over the programs of the bytes that a tool adds to the peak of the tree."""
        added = [
            looks[tool].peak_bytes - looks[BARE].peak_bytes
            for looks in self.looks.values()
            if tool in looks and BARE in looks
        ]
        return statistics.median(added) if added else None

    def start_up_added(self, tool: str) -> float | None:
        pairs = list(zip(self.start_up_s.get(tool, []), self.start_up_s.get(BARE, [])))
        return statistics.median(value - bare for value, bare in pairs) if pairs else None
