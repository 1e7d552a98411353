# SPDX-License-Identifier: Apache-2.0
"""Runs a program with known truth under scalene and brings back both stories."""
from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .interpreters import ROOT, Interpreter, environment, harness
from .profile import Profile

PROGRAMS = ROOT / "test" / "programs" / "truth"

# At the rate that users get, and every file however cheap.
OPTIONS = ("--cpu-percent-threshold", "0")


class RunFailed(Exception):
    """The program or the profiler did not do its part; the text says which and how."""


@dataclass(frozen=True)
class Variant:
    """One way of running a check's program."""

    arguments: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    copy_to: str = ""  # run a copy of the program at this path in a fresh folder


@dataclass
class Run:
    variant: Variant
    program: Path
    truth: dict[str, Any]
    profile: Profile
    doubt: float  # how many standard errors to allow on top of a tolerance


def run(
    interpreter: Interpreter, program: str, variant: Variant, seconds: float, doubt: float
) -> Run:
    with tempfile.TemporaryDirectory(prefix="scalene-accuracy-") as folder:
        where = Path(folder).resolve()
        script = PROGRAMS / program
        if variant.copy_to:
            script = copy(script, where / variant.copy_to)
        profile, truth = where / "profile.json", where / "truth.json"
        command = [*interpreter.prefix, harness.SCALENE, "run", "--python", interpreter.path]
        command += ["-o", profile, *OPTIONS, *variant.options]
        command += [script, str(seconds), *variant.arguments]
        env = {**environment(interpreter), "TRUTH": str(truth)}
        result = harness.execute(command, env=env, timeout=60 + 20 * seconds)
        if result.status != 0 or not truth.exists() or not profile.exists():
            said = (result.stdout + result.stderr)[-2000:]
            raise RunFailed(f"{program} ended with {result.status}, it said: {said}")
        outcome = Run(variant, script, json.loads(truth.read_text()), Profile(profile), doubt)
        outcome.profile.tagged(script.parent)  # reads the source while the copy is there
        return outcome


def copy(script: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True)
    shutil.copy(PROGRAMS / "truth.py", target.parent)
    shutil.copy(script, target)
    return target
