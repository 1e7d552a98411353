# SPDX-License-Identifier: Apache-2.0
"""The results of CPython's own tests as Markdown: a table, and every case that is not the same."""
from __future__ import annotations

from collections import Counter
from typing import Iterable

from .comparison import DIFFERENT, FLAKY, HOOKED, SAME, VOID, Outcome
from .overhead_report import table
from .regrtest import END

VERDICTS = (SAME, FLAKY, HOOKED, DIFFERENT)
HEAD = ["CPython", "files", "cases", "same", "flaky bare", "hooked", "different"]
HEAD += ["samples", "processes"]


def row(release: str, outcomes: list[Outcome]) -> list[str]:
    compared = [outcome for outcome in outcomes if outcome.verdict != VOID]
    verdicts = Counter(outcome.verdict for outcome in compared)
    totals: Counter[str] = Counter()
    for outcome in compared:
        totals.update(outcome.counts)
    numbers = [len(compared), sum(outcome.n_cases for outcome in compared)]
    numbers += [verdicts[verdict] for verdict in VERDICTS]
    return [release, *map(str, [*numbers, totals["samples"], totals["processes"]])]


def remarks(outcomes: Iterable[Outcome]) -> list[str]:
    """A line for each case that is not the same and each file that cannot be compared.

    How the process ended, or a subtest that has no name, follows from the cases that have one.
    """
    lines: dict[str, list[str]] = {}
    for outcome in outcomes:
        named = {case: words for case, words in outcome.told.items() if case not in ("", END)}
        told = [f"`{case}`: {words}" for case, words in (named or outcome.told).items()]
        if outcome.verdict == VOID:
            told = [f"`{outcome.name}`: {VOID}: {outcome.summary}"]
        elif not named:
            told = [f"`{outcome.name}`: {text}" for text in told]
        for text in told:
            lines.setdefault(text, []).append(outcome.interpreter)
    return [f"- {text} ({', '.join(who)})" for text, who in sorted(lines.items())]


def document(command: str, machine: str, covered: dict[str, list[Outcome]]) -> str:
    """All of it; `covered` has the outcomes by the interpreter's release."""
    outcomes = [outcome for group in covered.values() for outcome in group]
    text = f"`{command}` on {machine}.\n\n"
    text += table(HEAD, [row(release, group) for release, group in covered.items()])
    listed = remarks(outcomes)
    if listed:
        text += "\n\nWhat is not the same, by interpreter:\n\n" + "\n".join(listed)
    return text
