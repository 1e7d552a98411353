# SPDX-License-Identifier: Apache-2.0
"""The Python interpreters to measure on, by the test harness, and the machine they run on."""
from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
import harness  # noqa: E402  (found by the line above)
from harness import Interpreter  # noqa: E402


def environment(interpreter: Interpreter) -> dict[str, str]:
    """One BLAS thread: the truth of a program is the clock of the thread that tells it."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    env.pop("PYTHONPATH", None)
    if interpreter.numpy:
        env["PYTHONPATH"] = interpreter.numpy
    return env


def choose(wanted: list[str]) -> tuple[list[Interpreter], dict[str, str]]:
    """The interpreters asked for by name, or all; and the missing ones with the reason."""
    found, missing = harness.listed()
    if not wanted:
        return found, missing
    known = {interpreter.id: interpreter for interpreter in found}
    absent = {name: missing.get(name, "unknown") for name in wanted if name not in known}
    return [known[name] for name in wanted if name in known], absent


def choose_aloud(wanted: list[str]) -> tuple[list[Interpreter], dict[str, str]]:
    """The same, and says what is missing."""
    found, missing = choose(wanted)
    for name, reason in missing.items():
        print(f"{name}: not covered: {reason}")
    return found, missing


def machine() -> str:
    """What a measurement ran on, in one line."""
    model = "unknown CPU"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} CPUs, Linux {os.uname().release}, load {load:.1f}"
