# SPDX-License-Identifier: Apache-2.0
"""Writes the results of the overhead suite as Markdown tables that read well in a terminal."""
from __future__ import annotations

import statistics
from typing import Iterable

from .ratios import Ratio, Verdict
from .results import Results
from .tools import AGAIN, BARE, FULL, OURS
from .workloads import ALLOCATION, PYPERFORMANCE, SWITCHING

Row = list[str]

KNOWN = """\
The collector's CPU time over the target's, both of the same run by the kernel's account, so free of
the noise between runs. What happens inside the target is not in it: it can show that a bound is
broken, not that it is kept. The claims are what the profiles say of themselves."""

TITLES = {
    "wall": "Wall time of the whole command, start and end included",
    "work": "Wall time of the work alone, by the program's own clock",
    "CPU": "CPU time of all processes: target and collector, start and end included",
    "target": "CPU time of the target for its work alone, by the program's own clock",
}


def table(head: Row, rows: Iterable[Row]) -> str:
    """A Markdown table with columns of even width, the first to the left, numbers to the right."""
    body = [head, *rows]
    widths = [max(len(row[i]) for row in body) for i in range(len(head))]
    lines = [
        "| " + " | ".join(cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in pairs) + " |"
        for pairs in (list(enumerate(zip(row, widths))) for row in body)
    ]
    rule = "|" + "|".join("-" * (w + 1) + (":" if i else "-") for i, w in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def ratio_text(ratio: Ratio | None) -> str:
    if ratio is None:
        return "failed"
    spread = f"{ratio.low:.3f}-{ratio.high:.3f}"
    return f"{ratio.median:.3f} ({spread}; {ratio.of_minima:.3f})"


def name_of(tool: str) -> str:
    ours = {OURS: "**scalene, CPU only**", FULL: "**scalene, full**"}
    return {AGAIN: "bare again (noise)", **ours}.get(tool, tool)


def progress(results: Results, program: str) -> str:
    """A line about a program that has just been measured."""
    cells = [f"{program:20}"]
    for tool in (AGAIN, OURS, FULL):
        for measure in ("wall", "CPU"):
            ratio = results.ratio(measure, program, tool) if program in results.runs else None
            if ratio:
                cells.append(f"{tool} {measure} {ratio.median:.3f} ({ratio.of_minima:.3f})")
    return "  ".join(cells)


def per_program(results: Results, measure: str, tools: list[str]) -> str:
    rows = []
    for program in results.runs:
        seconds = statistics.median(results.values(measure, program, BARE))
        cells = [
            ratio_text(results.ratio(measure, program, tool))
            if tool in results.runs[program] or (program, tool) in results.failures
            else "-"
            for tool in tools
        ]
        rows.append([program, f"{seconds:.2f} s", *cells])
    return table(["program", "bare", *map(name_of, tools)], rows)


def extremes(ratios: dict[str, float]) -> Row:
    """Median over the programs, and the worst with its name."""
    if not ratios:
        return ["-", "-"]
    worst = max(ratios, key=lambda program: ratios[program])
    return [f"{statistics.median(ratios.values()):.3f}", f"{ratios[worst]:.3f} {worst}"]


def optional(value: float | None, scale: float, unit: str) -> str:
    return "-" if value is None else f"{value * scale:+.1f} {unit}"


def overview(results: Results, tools: list[str], groups: tuple[str, ...]) -> str:
    head = ["", "wall, median", "wall, worst", "work, median", "CPU, median", "CPU, worst"]
    head += ["least CPU, median", "start-up", "memory"]
    rows = []
    for tool in tools:
        row = [name_of(tool), *extremes(results.medians("wall", tool, groups))]
        row += extremes(results.medians("work", tool, groups))[:1]
        row += extremes(results.medians("CPU", tool, groups))
        row += extremes(results.least("CPU", tool, groups))[:1]
        row.append(optional(results.start_up_added(tool), 1e3, "ms"))
        row.append(optional(results.memory_added(tool), 2.0**-20, "MiB"))
        rows.append(row)
    return table(head, rows)


def instructions(results: Results, tools: list[str]) -> str:
    columns = {tool: results.instruction_ratios(tool) for tool in tools}
    rows = [
        [program, *(f"{columns[t][program]:.4f}" if program in columns[t] else "-" for t in tools)]
        for program in results.runs
    ]
    return table(["program", *map(name_of, tools)], rows)


def accounts(results: Results) -> str:
    """What we are known to add, and what the profiles claim, as shares of the target's CPU time."""
    rows, known = [], {tool: results.known_ratios(tool) for tool in (OURS, FULL)}
    for (program, tool), found in results.accounts.items():
        if program not in known[tool]:
            continue  # the bare run failed
        target_s = statistics.median(run.target_cpu_s for run in results.runs[program][tool])
        drops = {r: sum(a.drops.get(r, 0) for a in found) for a in found for r in a.drops}
        lost = ", ".join(f"{count} {reason}" for reason, count in sorted(drops.items()))
        rows.append(
            [
                program,
                "full" if tool == FULL else "CPU only",
                f"{100 * (known[tool][program] - 1):.2f}%",
                f"{100 * statistics.median(a.collector_s for a in found) / target_s:.2f}%",
                f"{100 * statistics.median(a.agent_s for a in found) / target_s:.2f}%",
                f"{statistics.median(a.samples for a in found):.0f}",
                lost or "none",
            ]
        )
    head = ["program", "mode", "collector", "it claims", "agent claims", "samples", "drops, all rounds"]
    return table(head, rows)


def verdicts(found: list[Verdict]) -> str:
    rows = [
        [
            "full" if v.bound.tool == FULL else "CPU only",
            " and ".join(v.bound.groups),
            f"{v.bound.measure}, {'worst' if v.bound.is_worst else 'median'}",
            f"{v.value:.3f}",
            f"{v.bound.limit:.2f}",
            f"{v.floor:.3f}",
            v.outcome,
            v.judged_by,
        ]
        for v in found
    ]
    return table(["mode", "programs", "bound", "measured", "at most", "noise floor", "verdict", "judged by"], rows)


def write(results: Results, tools: list[str], found: list[Verdict], uncounted: str) -> str:
    """All tables, with what they mean; `uncounted` says why there are no instructions."""
    parts = [
        "Programs of pyperformance, and those that switch threads or system calls all the time:",
        overview(results, tools, (PYPERFORMANCE, SWITCHING)),
        "Programs that do nothing but allocate:",
        overview(results, tools, (ALLOCATION,)),
        "What was promised:",
        verdicts(found),
    ]
    for measure, title in TITLES.items():
        parts += [f"### {title}", per_program(results, measure, tools)]
    parts.append("### Instructions in user mode, target and collector together")
    if uncounted:
        parts.append(f"Not counted: {uncounted}.")
    else:
        parts.append(instructions(results, tools))
    parts += ["### What scalene is known to add to the CPU time", KNOWN, accounts(results)]
    if results.skipped:
        parts.append(f"Not measured for want of time: {', '.join(results.skipped)}.")
    if results.failures:
        parts.append("### Runs that failed")
        parts += [f"- {p}, {tool}: {why}" for (p, tool), why in results.failures.items()]
    return "\n\n".join(parts)
