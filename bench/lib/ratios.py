# SPDX-License-Identifier: Apache-2.0
"""What repeated measurements say about a ratio, and whether a bound on it was kept.

A ratio is taken within a round, against the bare run of that round, so that slow changes of the
machine cancel out; the median of the rounds counts. How far bare against bare strays from 1 by
the same reckoning is the noise floor: a bound nearer to 1 than that cannot be judged by the clock.
"""
from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    low: float  # quartiles of the rounds
    median: float
    high: float
    of_minima: float


def paired(values: list[float], bare: list[float]) -> Ratio:
    """Of two lists of the same length, one value per round."""
    ratios = [value / base for value, base in zip(values, bare)]
    middle = statistics.median(ratios)
    low, high = middle, middle
    if len(ratios) > 1:
        low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Ratio(low, middle, high, min(values) / min(bare))


@dataclass(frozen=True)
class Bound:
    """A promise about a measure of a tool over some groups of programs: median or worst value."""

    tool: str
    groups: tuple[str, ...]
    measure: str
    is_worst: bool
    limit: float

    def value(self, ratios: dict[str, float]) -> float:
        return max(ratios.values()) if self.is_worst else statistics.median(ratios.values())

    def floor(self, bare_again: dict[str, float]) -> float:
        """How far from 1 bare against bare is: in the worst program, or in a typical one.

        Not the median of the ratios themselves: where programs stray to both sides it is near 1 by
        luck, and would make the noisiest machine look quiet.
        """
        strays = [abs(ratio - 1.0) for ratio in bare_again.values()]
        return max(strays) if self.is_worst else statistics.median(strays)


KEPT, BROKEN, UNDECIDED = "kept", "BROKEN", "not decided"


@dataclass(frozen=True)
class Verdict:
    bound: Bound
    value: float
    floor: float
    outcome: str
    judged_by: str


def judge_apart(bound: Bound, ratios: dict[str, float], bare_again: dict[str, float], by: str) -> Verdict:
    """A bound that is missed by no more than the noise is neither kept nor broken."""
    value, floor = bound.value(ratios), bound.floor(bare_again)
    beyond = BROKEN if value > bound.limit + floor else UNDECIDED
    return Verdict(bound, value, floor, KEPT if value <= bound.limit else beyond, by)


def judge(
    bound: Bound,
    ratios: dict[str, float],
    bare_again: dict[str, float],
    instructions: dict[str, float],
    known: dict[str, float],
    least: dict[str, float],
    least_again: dict[str, float],
) -> Verdict:
    """By the clock if the noise lets it, else by the instructions if there are any, else by the
    least CPU time of all rounds, which what else the machine does can only make longer.

    Both are those of target and collector together. The collector has a CPU of its own: if they
    keep a bound, wall time keeps it, but if they break it, only that on CPU time is broken. What
    is known to be added to the CPU time can break that bound, never keep it: it is not all.
    """
    value, floor = bound.value(ratios), bound.floor(bare_again)
    margin = bound.limit - 1.0
    if floor <= margin:
        outcome = KEPT if value <= bound.limit else BROKEN
        return Verdict(bound, value, floor, outcome, "clock")
    if value > bound.limit + 2 * floor:  # both the bare run and the other one stray
        return Verdict(bound, value, floor, BROKEN, "clock, beyond the noise")
    if instructions:
        beyond = BROKEN if bound.measure == "CPU" else UNDECIDED
        outcome = KEPT if bound.value(instructions) <= bound.limit else beyond
        return Verdict(bound, value, floor, outcome, "instructions: the clock is too noisy")
    if least and bound.floor(least_again) <= margin:
        beyond = BROKEN if bound.measure == "CPU" else UNDECIDED
        outcome = KEPT if bound.value(least) <= bound.limit else beyond
        by = f"least CPU time of all rounds: {bound.value(least):.3f}, noise floor " \
            f"{bound.floor(least_again):.3f}"
        return Verdict(bound, value, floor, outcome, by)
    if bound.measure == "CPU" and known and bound.value(known) > bound.limit:
        return Verdict(
            bound, value, floor, BROKEN, f"the collector alone: {bound.value(known):.3f}"
        )
    return Verdict(bound, value, floor, UNDECIDED, "nothing: the clock is too noisy; make abreast can tell")
