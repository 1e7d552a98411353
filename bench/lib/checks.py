# SPDX-License-Identifier: Apache-2.0
"""The accuracy checks: which program is run how, and what its profile must say.

A check compares a profile with what the program measured of itself in the same run. A tolerance
is the promise; the run is long enough for it. Short runs may ask for some standard errors of
doubt on top, by the number of samples there were.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Sequence

from . import source
from .profile import Cost, Stack
from .run import Run, Variant


@dataclass(frozen=True)
class Measure:
    """One number and the bounds it has to keep."""

    what: str
    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        return min(self.value - self.low, self.high - self.value)

    @property
    def is_ok(self) -> bool:
        return self.margin >= 0


Judge = Callable[[Sequence[Run]], "list[Measure]"]


@dataclass(frozen=True)
class Check:
    name: str
    program: str
    seconds: float  # CPU seconds a variant runs for; quick runs take a share of them
    judge: Judge
    variants: tuple[Variant, ...] = (Variant(),)


# How much surer a share is in programs that give each part long slices in turn, where samples can
# only err at the edges, than by as many independent samples. Seen: 0.2 to 0.3, with a sample every
# 4 ms. Where a busy machine lets the ticks pass by a thread, samples lie further apart, in the end
# as far as the slices are long, and then they are as good as independent.
SLICED = 0.4
TICK_S = 0.004


def slack(run: Run, share: float, samples: int, grain: float = 1.0) -> float:
    """Points of doubt in a share of so many samples, of unequal weights as they are; without any
    there is nothing to doubt."""
    if not samples or not run.doubt:
        return 0.0
    even = samples * run.profile.evenness
    if grain < 1.0:
        grain = min(1.0, grain * max(1.0, run.profile.distance_s() / TICK_S) ** 0.5)
    return 100 * run.doubt * grain * math.sqrt(max(share * (1 - share), 0.01) / even)


def at_least(what: str, value: float, low: float) -> Measure:
    return Measure(what, value, low, math.inf)


def none_of(what: str, count: int) -> Measure:
    return Measure(what, count, 0, 0)


def enough_samples(run: Run) -> Measure:
    """The slowest kernels tick every 10 ms; to see less than half of that is an error."""
    spent = sum(run.truth["spent"].values())
    seen = sum(tagged(run, tag).samples for tag in run.truth["spent"])
    return at_least("samples", seen, spent / 0.010 / 2)


def tagged(run: Run, tag: str) -> Cost:
    return run.profile.tagged(run.program.parent).get(tag, Cost())


def shares(tolerance: float, grain: float = 1.0) -> Judge:
    """Each tag's share of the time of all tags, off from the truth by so many points at most."""

    def judge(runs: Sequence[Run]) -> list[Measure]:
        return [measure for run in runs for measure in shares_of(run, tolerance, grain)]

    return judge


def shares_of(run: Run, tolerance: float, grain: float) -> list[Measure]:
    spent = run.truth["spent"]
    costs = {tag: tagged(run, tag) for tag in spent}
    seen_s = sum(cost.seconds for cost in costs.values()) or 1.0
    spent_s = sum(spent.values())
    samples = sum(cost.samples for cost in costs.values())
    measures = [enough_samples(run)]
    for tag, cost in costs.items():
        share = spent[tag] / spent_s
        allowed = tolerance + slack(run, share, samples, grain)
        error = 100 * (cost.seconds / seen_s - share)
        measures.append(Measure(f"{tag} share off", error, -allowed, allowed))
    return measures


def all_of_kind(kind: str, low: float) -> Judge:
    """Every tag is at least so many percent Python, or native."""

    def judge(runs: Sequence[Run]) -> list[Measure]:
        return [kind_of(run, tag, kind, low) for run in runs for tag in run.truth["spent"]]

    return judge


def kind_of(run: Run, tag: str, kind: str, low: float) -> Measure:
    """What the kernel itself books to the thread as kernel time is no error of the profile's."""
    cost = tagged(run, tag)
    booked = 100 * run.truth.get("kernel", {}).get(tag, 0.0) / run.truth["spent"][tag]
    share = cost.share(kind) + min(cost.share("system"), booked)
    return at_least(f"{tag} {kind} %", share, low - slack(run, low / 100, cost.samples))


def named_kinds(low: float) -> Judge:
    """Tags called "python" and "native" are what their name says, and have their share."""

    def judge(runs: Sequence[Run]) -> list[Measure]:
        kinds = [kind_of(run, kind, kind, low) for run in runs for kind in run.truth["spent"]]
        return kinds + shares(3, SLICED)(runs)

    return judge


def no_function_bias(runs: Sequence[Run]) -> list[Measure]:
    """Over all shares, what is reported grows with the truth by a slope of one."""
    true = [r.truth["spent"]["inline"] / sum(r.truth["spent"].values()) for r in runs]
    seen = [inline_share(r) for r in runs]
    mean_true, mean_seen = sum(true) / len(true), sum(seen) / len(seen)
    spread = sum((x - mean_true) ** 2 for x in true)
    slope = sum((x - mean_true) * (y - mean_seen) for x, y in zip(true, seen)) / spread
    doubt = math.hypot(*((x - mean_true) / spread * doubt_of(r) / 100 for x, r in zip(true, runs)))
    slope_measure = Measure("slope", slope, 0.97 - doubt, 1.03 + doubt)
    return [slope_measure, *shares(3, SLICED)(runs)]


def doubt_of(run: Run) -> float:
    inline, calling = tagged(run, "inline"), tagged(run, "calling")
    return slack(run, inline_share(run), inline.samples + calling.samples, SLICED)


def inline_share(run: Run) -> float:
    inline, calling = tagged(run, "inline").seconds, tagged(run, "calling").seconds
    return inline / ((inline + calling) or 1.0)


def nested(runs: Sequence[Run]) -> list[Measure]:
    """Own time of each function by its lines, and with its callees by the stacks."""
    run = runs[0]
    inclusive = run.truth["inclusive"]
    whole = samples_with(run, "spend_16") or 1
    measures = shares(2, SLICED)(runs)
    for name, spent in inclusive.items():
        share = spent / inclusive["spend_16"]
        error = 100 * (samples_with(run, name) / whole - share)
        allowed = 10 * share + slack(run, share, whole, SLICED)
        measures.append(Measure(f"{name} with callees off", error, -allowed, allowed))
    return measures


def samples_with(run: Run, function: str) -> int:
    return sum(stack.samples for stack in run.profile.stacks() if stack.has(function))


def threads(runs: Sequence[Run]) -> list[Measure]:
    """Each thread's lines and its own total by its own clock; and Python is told from native."""
    measures = named_kinds(95)(runs)
    for run in runs:
        seen = run.profile.thread_seconds()
        for name, fact in run.truth["threads"].items():
            error = 100 * (seen.get(fact["ident"], 0.0) / fact["cpu"] - 1)
            measures.append(Measure(f"{name} thread's clock off %", error, -3, 3))
            error = 100 * (tagged(run, name).seconds / fact["cpu"] - 1)
            measures.append(Measure(f"{name} thread's lines off %", error, -3, 3))
    return measures


def total(runs: Sequence[Run]) -> list[Measure]:
    """The sum over all lines and outside of them is the process's CPU time at every rate."""
    measures = []
    for run in runs:
        seen = run.profile.total().seconds + run.profile.outside()
        error = 100 * (seen / run.truth["cpu"] - 1)
        rate = run.variant.options[-1]
        measures.append(Measure(f"at {rate} s: total off %", error, -2, 2))
    return measures


def chains(runs: Sequence[Run]) -> list[Measure]:
    """No stack holds a call that the program never makes, nor begins in the middle."""
    impossible = orphans = strange_lines = samples = 0
    for run in runs:
        for stack in run.profile.stacks():
            samples += stack.samples
            impossible += stack.samples * count_impossible(run, stack)
            strange_lines += stack.samples * count_strange_lines(run, stack)
            orphans += stack.samples * is_orphan(stack, run.truth["entry"])
    return [
        at_least("samples", samples, 10),
        none_of("impossible calls", impossible),
        none_of("calls from a line without them", strange_lines),
        none_of("orphans", orphans),
    ]


def pairs(stack: Stack) -> zip:
    return zip(stack.frames, stack.frames[1:])


def count_impossible(run: Run, stack: Stack) -> int:
    calls = run.truth["calls"]
    return sum(
        inner.function in calls and outer.function not in calls[inner.function]
        for outer, inner in pairs(stack)
    )


def count_strange_lines(run: Run, stack: Stack) -> int:
    """Calls the program tells of, from a line that does not hold them; imports are none of them."""
    return sum(
        f"{inner.function}(" not in source.line_text(Path(outer.path), outer.line)
        for outer, inner in pairs(stack)
        if inner.function in run.truth["calls"]
    )


def is_orphan(stack: Stack, entry: str) -> bool:
    return not stack.is_cut and stack.frames[0].function != entry


def recursion(runs: Sequence[Run]) -> list[Measure]:
    """Never deeper than the truth; less deep only when cut, and then it says so."""
    measures = []
    for run in runs:
        depth, function = run.truth["depth"], run.truth["function"]
        stacks = [stack for stack in run.profile.stacks() if stack.has("bottom")]
        depths = [(sum(f.function == function for f in s.frames), s) for s in stacks]
        too_deep = sum(s.samples for n, s in depths if n > depth)
        unmarked = sum(s.samples for n, s in depths if n < depth and not (s.is_cut or s.is_merged))
        entry = run.truth["entry"]
        orphans = sum(s.samples for s in stacks if not s.is_cut and not s.has(entry))
        measures += [
            none_of(f"{depth}: too deep", too_deep),
            none_of(f"{depth}: cut and not marked", unmarked),
            none_of(f"{depth}: without their entry", orphans),
            enough_samples(run),
        ]
    return measures


def oscillation(runs: Sequence[Run]) -> list[Measure]:
    """Whatever the depth of generators and coroutines, the entry is in every stack with them."""
    measures = shares(3, SLICED)(runs)
    for run in runs:
        below = set(run.truth["below"])
        stacks = [s for s in run.profile.stacks() if below & {f.function for f in s.frames}]
        lost = sum(s.samples for s in stacks if not s.is_cut and not s.has(run.truth["entry"]))
        measures.append(at_least("stacks", len(stacks), 1))
        measures.append(none_of("without their entry", lost))
    return measures


def names(runs: Sequence[Run]) -> list[Measure]:
    """Files and functions keep their names, letter for letter."""
    measures = shares(3, SLICED)(runs)
    for run in runs:
        missing = set(run.truth["functions"]) - set(run.profile.functions(run.program))
        measures.append(none_of("names missing", len(missing)))
    return measures


def variants(*arguments: str) -> tuple[Variant, ...]:
    return tuple(Variant(arguments=(argument,)) for argument in arguments)


RATES = tuple(
    Variant(options=("--cpu-sampling-rate", rate)) for rate in ("0.1", "0.01", "0.001", "0.0001")
)
# As many samples as there can be: each is judged by itself.
EVERY_TICK = (Variant(options=("--cpu-sampling-rate", "0.001")),)
PLACES = (Variant(), Variant(copy_to="a b\tc/größe 計算/файл имя.py"))

CHECKS = (
    Check("loops are Python", "loops.py", 12, all_of_kind("python", 98)),
    Check("calls are Python", "calls.py", 28, all_of_kind("python", 97)),
    Check("C code is native", "native.py", 12, all_of_kind("native", 95)),
    Check("hash and sum (C7)", "hash_or_sum.py", 8, named_kinds(95)),
    Check("six lines", "six_lines.py", 24, shares(3)),
    Check("nested calls (C1)", "spend.py", 12, nested),
    Check(
        "function bias (C2)",
        "bias.py",
        6,
        no_function_bias,
        variants("0.05", "0.2", "0.35", "0.5", "0.65", "0.8", "0.95"),
    ),
    Check("threads", "threads.py", 6, threads),
    Check("total at any rate (C3)", "total.py", 6, total, RATES),
    Check("call chains (C9)", "chains.py", 20, chains, EVERY_TICK),
    Check("recursion (C10)", "recursion.py", 5, recursion, variants("20", "10000")),
    Check("generators (C11)", "oscillate.py", 12, oscillation),
    Check("hard places (C12)", "places.py", 15, shares(3)),
    Check("names (C13)", "names.py", 5, names, PLACES),
)


def quick(check: Check, seconds: float) -> Check:
    """The same check on short runs; of several variants the first and the last."""
    few = (check.variants[0], check.variants[-1]) if len(check.variants) > 1 else check.variants
    return replace(check, seconds=seconds, variants=few)
