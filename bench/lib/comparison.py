# SPDX-License-Identifier: Apache-2.0
"""One file of CPython's tests, run bare and under scalene: how the two compare, and what is kept.

What differs is run once more on both sides; a case that ends differently bare and bare is flaky. A
program can ask Python whether its allocators are hooked: a case that ends the same bare with
tracemalloc, which hooks them, too, and as bare when scalene leaves memory alone, is told as hooked.
Any other difference is ours.
"""
from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import regrtest
from .regrtest import END, Place, Run

SAME, FLAKY, HOOKED, DIFFERENT, VOID = "same", "flaky", "hooked", "DIFFERENT", "not comparable"
# Asks a Python that takes no options from outside, tracemalloc neither, for statistics of pymalloc;
# there are none where they are hooked: python -X tracemalloc -c "sys._debugmallocstats()".
ASKS_FOR_HOOKS = "test_debugmallocstats"


@dataclass(frozen=True)
class Outcome:
    """What a file came to on an interpreter: a line of the file of results."""

    interpreter: str
    build: str  # of scalene
    name: str
    verdict: str
    summary: str  # how the cases ended bare; of a file that cannot be compared, why
    n_cases: int
    seconds: list[float]  # bare, ours
    told: dict[str, str] = field(default_factory=dict)  # case: in which way it is not the same
    counts: dict[str, int] = field(default_factory=dict)  # samples, and drops by reason

    @property
    def key(self) -> tuple[str, str, str]:
        return self.interpreter, self.build, self.name


def load(path: Path | None) -> dict[tuple[str, str, str], Outcome]:
    """What an earlier command found, the last word on each file."""
    if path is None or not path.exists():
        return {}
    lines = path.read_text().splitlines()
    return {outcome.key: outcome for outcome in (Outcome(**json.loads(line)) for line in lines)}


def append(path: Path | None, outcome: Outcome) -> None:
    if path is not None:
        with open(path, "a") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")


class File:
    """A file of tests on one interpreter, with the runs it has had."""

    def __init__(self, place: Place, name: str, repeat: int):
        self.place, self.name, self.repeat = place, name, repeat
        self.bare: list[Run] = []
        self.ours: list[Run] = []
        # If there was a difference: bare with tracemalloc, and ours without memory.
        self.traced: Run | None = None
        self.unhooked: Run | None = None

    def perform(self) -> "File":
        self.bare.append(regrtest.run_bare(self.place, self.name))
        for _ in range(0 if self.is_void else self.repeat):
            self.ours.append(regrtest.run_ours(self.place, self.name))
        return self

    def perform_again(self) -> None:
        self.bare.append(regrtest.run_bare(self.place, self.name))
        self.ours.append(regrtest.run_ours(self.place, self.name))
        if self.different:
            self.traced = regrtest.run_hooked(self.place, self.name)
            self.unhooked = regrtest.run_ours(self.place, self.name, "--cpu-only")

    @property
    def is_void(self) -> bool:
        """Nothing to compare with: it does not even end, or has no case, bare."""
        return self.bare[0].is_hung or not self.bare[0].cases

    @property
    def flaky(self) -> set[str]:
        """Cases that end differently from one bare run to another."""
        return {case for run in self.bare[1:] for case in run.differences(self.bare[0])}

    @property
    def different(self) -> Counter[str]:
        """Cases that ended under scalene as they did in no bare run, with how often."""
        return Counter(
            case
            for run in self.ours
            for case in run.differences(self.bare[0])
            if run.end_of(case) not in {bare.end_of(case) for bare in self.bare}
        )

    @property
    def hooked(self) -> set[str]:
        """Different cases that always ended as they do for anybody who hooks the allocators."""
        traced, unhooked = self.traced, self.unhooked
        if not traced or not unhooked:
            return set()
        cases = {
            case
            for case in set(self.different) - unhooked.differences(self.bare[0])
            if case.endswith(ASKS_FOR_HOOKS)
            or {run.end_of(case) for run in self.ours} == {traced.end_of(case)}
        }
        # How the process ended follows from its cases, if all of them are told.
        is_all = cases and set(self.different) - cases <= {END}
        return set(self.different) if is_all else cases - {END}

    @property
    def wrong(self) -> set[str]:
        return set(self.different) - self.hooked

    @property
    def verdict(self) -> str:
        if self.is_void:
            return VOID
        if self.wrong:
            return DIFFERENT
        if self.hooked:
            return HOOKED
        return FLAKY if any(run.differences(self.bare[0]) for run in self.ours) else SAME

    def told(self) -> dict[str, str]:
        """The cases that are not the same, in words."""
        bare, words = self.bare[0], {}
        for case in sorted(self.flaky):
            words[case] = f"flaky: bare {', '.join(run.end_of(case) for run in self.bare)}"
        for case in sorted(self.different):
            kind = "hooked" if case in self.hooked else DIFFERENT
            ends = ", ".join(sorted({run.end_of(case) for run in self.ours}))
            often = f"{self.different[case]} of {len(self.ours)}"
            words[case] = f"{kind}: bare {bare.end_of(case)}, ours {ends} ({often})"
        return words

    def outcome(self, build: str) -> Outcome:
        bare = self.bare[0]
        counts: Counter[str] = Counter()
        for run in self.ours:
            counts.update(run.counts)
        return Outcome(
            self.place.interpreter.id,
            build,
            self.name,
            self.verdict,
            bare.reason if self.is_void else bare.summary,
            0 if self.is_void else len(bare.cases),
            [round(run.seconds, 1) for run in [bare, *self.ours[:1]]],
            self.told(),
            dict(counts),
        )
