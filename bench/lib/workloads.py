# SPDX-License-Identifier: Apache-2.0
"""The programs whose cost under a profiler is measured: from pyperformance, and our own.

Each is laid out in a folder of its own beside our stand-in for pyperf, so that profilers take its
files for the user's program and not for a library, and so that it does a fixed amount of work.
"""
from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import meter

PYPERFORMANCE, SWITCHING, ALLOCATION = "pyperformance", "switching", "allocation"
OWN = Path(__file__).resolve().parents[1] / "programs"
CALIBRATION_LIMIT_S = 120.0


class WorkloadFailed(Exception):
    """A program that does not run even without a profiler; the text says what it said."""


@dataclass(frozen=True)
class Workload:
    name: str  # of the benchmark, as the program itself calls it
    source: str = ""  # folder of pyperformance, or "" for a file of ours that has the same name
    arguments: tuple[str, ...] = ()
    # The length is set by CPU time, so that a busy machine does not make it less work.
    clock: str = "CPU"
    group: str = PYPERFORMANCE
    # Times as long as the others: a program that mostly sleeps has little CPU time to compare with.
    stretch: float = 1.0

    @property
    def is_own(self) -> bool:
        return not self.source


WORKLOADS = (
    Workload("raytrace", "bm_raytrace"),
    Workload("deltablue", "bm_deltablue"),
    Workload("pprint_pformat", "bm_pprint"),
    Workload("json_dumps", "bm_json_dumps"),
    Workload("nbody", "bm_nbody"),
    Workload("fannkuch", "bm_fannkuch"),
    Workload("mdp", "bm_mdp"),
    Workload("async_tree_none", "bm_async_tree", ("none",)),
    Workload("docutils", "bm_docutils"),
    Workload("sympy_expand", "bm_sympy", ("expand",)),
    Workload("sympy_integrate", "bm_sympy", ("integrate",)),
    Workload("sympy_sum", "bm_sympy", ("sum",)),
    Workload("sympy_str", "bm_sympy", ("str",)),
    Workload("queue_ping_pong", group=SWITCHING),
    Workload("socket_ping_pong", group=SWITCHING),
    Workload("small_reads", group=SWITCHING),
    Workload("short_sleeps", clock="wall", group=SWITCHING, stretch=4.0),
    Workload("small_objects", group=ALLOCATION),
    Workload("dict_churn", group=ALLOCATION),
    Workload("bytes_churn", group=ALLOCATION),
    Workload("deep_objects", group=ALLOCATION),
    Workload("numpy_small", group=ALLOCATION),
    Workload("malloc_threads", group=ALLOCATION),
)

QUICK = ("raytrace", "json_dumps", "queue_ping_pong")


SOURCES = {workload.source for workload in WORKLOADS if workload.source}


def chosen(wanted: list[str]) -> list[Workload]:
    """By parts of their names, or by group; all of them if nothing is wanted."""
    return [w for w in WORKLOADS if not wanted or any(t in w.name or t == w.group for t in wanted)]


@dataclass(frozen=True)
class Prepared:
    """A workload ready to run, any number of times, always with the same work."""

    workload: Workload
    program: list[str]  # what stands after the interpreter
    result: Path
    loops: int

    def environment(self, base: dict[str, str]) -> dict[str, str]:
        return {**environment(self.workload, self.result, base), "BENCH_LOOPS": str(self.loops)}

    def work(self) -> dict[str, float]:
        """What the program says its work took, in the run that has just ended."""
        done = json.loads(self.result.read_text())
        if done["loops"] != self.loops:
            raise WorkloadFailed(f"{self.workload.name} did {done['loops']} loops of {self.loops}")
        return done


def environment(workload: Workload, result: Path, base: dict[str, str]) -> dict[str, str]:
    return {**base, "BENCH_NAME": workload.name, "BENCH_RESULT": str(result)}


def build(workload: Workload, folder: Path) -> None:
    """The C part of a program, where it has one, as a library beside it."""
    source = OWN / f"{workload.name}.c"
    library = folder / f"lib{workload.name}.so"
    if source.exists():
        command = ["gcc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-lpthread"]
        subprocess.run(command, check=True, timeout=CALIBRATION_LIMIT_S)


def lay_out(workload: Workload, benchmarks: Path, folder: Path) -> Path:
    """Copies the program's files; returns the one to run."""
    if workload.is_own:
        folder.mkdir()
        script = folder / f"{workload.name}.py"
        shutil.copy(OWN / script.name, script)
        build(workload, folder)
    else:
        shutil.copytree(benchmarks / workload.source, folder)
        script = folder / "run_benchmark.py"
    shutil.copy(OWN / "pyperf.py", folder)
    return script


def prepare(
    workload: Workload,
    python: str,
    benchmarks: Path,
    where: Path,
    seconds: float,
    env: dict[str, str],
) -> Prepared:
    """Lays a workload out and finds once how many loops take so many seconds."""
    script = lay_out(workload, benchmarks, where / workload.name)
    result = where / f"{workload.name}.json"
    program = [str(script), *workload.arguments]
    env = {**environment(workload, result, env), "BENCH_SECONDS": str(seconds * workload.stretch)}
    env["BENCH_CLOCK"] = workload.clock
    usage = meter.measure([python, *program], env, CALIBRATION_LIMIT_S)
    if usage.status != 0 or not result.exists():
        raise WorkloadFailed(f"{workload.name} ended with {usage.status}, it said: {usage.said}")
    return Prepared(workload, program, result, json.loads(result.read_text())["loops"])
