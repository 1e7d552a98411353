# SPDX-License-Identifier: Apache-2.0
"""Programs whose memory is known, and what a profile must say of them."""
from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import source
from .interpreters import ROOT, Interpreter, environment, harness

FOLDER = ROOT / "test" / "programs" / "memory"
OPTIONS = ("--memory", "--cpu-percent-threshold", "0")
FIXED = ("--allocation-sampling-window", "32768")  # the mean for which the program tells its errors
LARGE_MB = 20.0  # smaller lines rest on too few samples for the tolerance
# The agent's ring grows when the collector is late, to 4 MiB, and is mapped twice: memory of the process, but not of
# the program, which has told its own by then.
RING_MB = 8.0
KEYS = {"allocated": "n_malloc_mb", "live": "n_live_mb", "copied": "n_copy_mb",
        "at_peak": "n_at_peak_mb", "count": "n_mallocs"}
PROGRAMS = ("volumes.py", "copies.py", "counts.py")
TOUCHED = ("0", "25", "50", "75", "100")
PEAKS = ("early", "final", "two", "climb", "moment", "calls", "spikes", "small")


@dataclass(frozen=True)
class Measure:
    """One number of a profile beside what it should be."""

    what: str
    got: float
    low: float
    high: float

    @property
    def is_ok(self) -> bool:
        return self.low <= self.got <= self.high

    def __str__(self) -> str:
        verdict = "" if self.is_ok else "  WRONG"
        return f"{self.what:<34} {self.got:9.3f}   {self.low:9.3f} to {self.high:9.3f}{verdict}"


def profile_of(interpreter: Interpreter, program: str, *arguments: str,
               timeout: float = 120) -> tuple[dict[str, Any], dict[str, Any]]:
    """The profile of a run, and what the program itself told."""
    with tempfile.TemporaryDirectory(prefix="scalene-memory-") as folder:
        profile, truth = Path(folder, "profile.json"), Path(folder, "truth.json")
        command = [*interpreter.prefix, harness.SCALENE, "run", "--python", interpreter.path,
                   "-o", profile, *OPTIONS, *(FIXED if program == "counts.py" else ()),
                   FOLDER / program, *arguments]
        env = {**environment(interpreter), "TRUTH": str(truth)}
        result = harness.execute(command, env=env, timeout=timeout)
        if result.status != 0 or not profile.exists():
            raise AssertionError(f"{program} ended with {result.status}: {result.stderr[-2000:]}")
        told = json.loads(truth.read_text()) if truth.exists() else {}
        return json.loads(profile.read_text()), told


def lines_by_tag(profile: dict[str, Any], program: str) -> dict[str, dict[str, Any]]:
    tags = source.tags(FOLDER / program)
    lines = harness.lines(profile, FOLDER / program)
    return {tag: lines[number] for number, tag in tags.items() if number in lines}


def around(what: str, got: float, want: float, part: float) -> Measure:
    """Within a part of the truth, of lines large enough; else within a part of LARGE_MB."""
    width = part * max(want, LARGE_MB)
    return Measure(what, got, want - width, want + width)


def lines_match(profile: dict[str, Any], told: dict[str, Any], program: str) -> list[Measure]:
    measures = []
    for tag, line in lines_by_tag(profile, program).items():
        truth = dict(told["lines"].get(tag, {}))
        width = 5 * truth.pop("count_error", 0) + 1  # small blocks stand for hundreds each
        for key, want in truth.items():
            what = f"{program} {tag} {key}"
            if key == "count":
                measures.append(Measure(what, line[KEYS[key]], want - width, want + width))
            elif key != "python":
                measures.append(around(what, line[KEYS[key]], want, 0.02 if key == "at_peak" else 0.05))
            elif want:
                measures.append(Measure(what, line["n_python_fraction"], 0.95, 1))
            else:
                measures.append(Measure(what, line["n_python_fraction"], 0, 0.05))
    return measures


@functools.lru_cache(maxsize=None)
def own_peak(interpreter: Interpreter) -> float:
    """What the interpreter itself and the imports of peaks.py take: part of every peak."""
    return profile_of(interpreter, "peaks.py", "nothing")[0]["max_footprint_mb"]


def check_lines(interpreter: Interpreter, program: str, *arguments: str) -> list[Measure]:
    profile, told = profile_of(interpreter, program, *arguments)
    measures = lines_match(profile, told, program)
    if told["peak"] is not None:
        what = " ".join((program, *arguments, "peak"))
        peak = told["peak"] + own_peak(interpreter)
        measures.append(around(what, profile["max_footprint_mb"], peak, 0.02))
    if told["resident"] is not None:
        got = profile["scalene"]["memory"]["resident_peak_mb"]
        what = " ".join((program, *arguments, "resident"))
        measure = around(what, got, told["resident"], 0.05)
        measures.append(replace(measure, high=measure.high + RING_MB))
    return measures


# Lines that allocate in a row, one after the other, or in turns; a slot for each of their objects.
LINES, OBJECTS, OBJECT_BYTES, ERRORS_MEAN = 1000, 200, 1000, 4096


def write_lines(path: Path, in_turns: bool) -> int:
    """A program of LINES lines that do the same; the number of the first."""
    size = "bytes(SIZE)"
    head = ["import sys", f"SIZE = {OBJECT_BYTES} - sys.getsizeof(b'')",
            f"KEPT = [[None] * {OBJECTS} for _ in range({LINES})]", f"EACH = list(range({OBJECTS}))"]
    if in_turns:
        lines = [f"    KEPT[{i}][k] = {size}" for i in range(LINES)]
        lines = ["def turn(k):", *lines, "for k in EACH: turn(k)"]
    else:
        lines = ["def work():", *(f"    for k in EACH: KEPT[{i}][k] = {size}" for i in range(LINES)),
                 "work()"]
    path.write_text("\n".join([*head, *lines, ""]))
    return len(head) + 2


def check_errors(interpreter: Interpreter) -> list[Measure]:
    """Twice the error that is told holds the truth of 90 to 99 lines in 100, not of all or few."""
    measures = []
    for in_turns in (False, True):
        with tempfile.TemporaryDirectory(prefix="scalene-errors-", dir="/tmp") as folder:
            program = Path(folder).resolve() / "lines.py"
            first = write_lines(program, in_turns)
            command = [*interpreter.prefix, harness.SCALENE, "run", "--python", interpreter.path, "-o",
                       program.with_suffix(".json"), *OPTIONS, "--allocation-sampling-window",
                       str(ERRORS_MEAN), program]
            result = harness.execute(command, env=environment(interpreter), timeout=120)
            if result.status != 0:
                raise AssertionError(f"{program} ended with {result.status}: {result.stderr[-2000:]}")
            lines = harness.lines(json.loads(program.with_suffix(".json").read_text()), program)
        wanted_mb = OBJECTS * OBJECT_BYTES / 2**20
        own = [line for number, line in lines.items() if first <= number < first + LINES]
        for key, error in (("n_malloc_mb", "n_malloc_error_mb"), ("n_live_mb", "n_live_error_mb")):
            held = sum(abs(line[key] - wanted_mb) <= 1.96 * line[error] for line in own)
            what = f"{'in turns' if in_turns else 'in a row'}, {key} held by error"
            measures.append(Measure(what, held / LINES, 0.90, 0.99))
    return measures


@dataclass(frozen=True)
class Leaks:
    """A program of many parts: those that leak 1 MB/s, 50 KB/s, and those that do not."""

    program: str
    leaking: tuple[str, ...]
    slow: tuple[str, ...]
    innocent: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.slow + self.leaking + self.innocent  # the longest runs first


# The second family was written when the rule stood; one of its programs has changed it since.
BASIC = Leaks(
    "leaks.py",
    leaking=("list", "dict", "closure", "native", "beside_churn", "dropped"),
    slow=("slow_list", "slow_dict", "slow_closure", "slow_native"),
    innocent=("warm_up", "least_recent", "ring", "freed", "arena", "shrinking", "released", "start_up"))
SERVICES = Leaks(
    "services.py",
    leaking=("log_records", "class_registry", "endless_memo", "listeners", "arrays", "duplicated_text",
             "figures", "kept_errors", "unfinished_generators", "interned", "sessions",
             "cycles_with_owner"),
    slow=("slow_log_records", "slow_sessions", "slow_duplicated_text", "slow_listeners"),
    innocent=("bounded_deque", "weak_values", "connection_pool", "vocabulary", "double_buffer",
              "generations", "cleared", "time_to_live", "best_of", "reloaded", "worked_off",
              "cyclic_garbage", "thread_locals", "fragments", "warmed_memo"))
FAMILIES = (BASIC, SERVICES)


def check_leak(interpreter: Interpreter, family: Leaks, name: str, seconds: float) -> list[Measure]:
    """The line @leak of a leaking program is told of; beside it only lines @grows, which keep what
    belongs to the leak; and no line of the others."""
    profile, _ = profile_of(interpreter, family.program, name, str(seconds), timeout=60 + 3 * seconds)
    tags = source.tags(FOLDER / family.program)
    found = [tags.get(int(line), "") for file in profile["files"].values() for line in file["leaks"]]
    is_leak = name not in family.innocent
    told = [int(line) for file in profile["files"].values() for line in file["leaks"]]
    false = [line for line, tag in zip(told, found) if tag not in ("leak", "grows") or not is_leak]
    where = "".join(f" {line}" for line in false)
    return [Measure(f"{family.program} {name} found", is_leak and "leak" in found, is_leak, is_leak),
            Measure(f"{family.program} {name} false alarms{where}", len(false), 0, 0)]
