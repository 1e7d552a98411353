# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions a command and all its processes execute, where the machine can.

Unlike any clock the count does not know what else the machine does. Many virtual machines have no
such counter; then there is none, and the reports say so.
"""
from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

EVENT = "instructions:u"


def parse(text: str) -> int | None:
    """The count in what `perf stat -x,` writes: "COUNT,UNIT,EVENT,..."; None if there is none."""
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[2].startswith(EVENT.split(":")[0]) and fields[0].isdigit():
            return int(fields[0])
    return None


def prefix(output: Path) -> list[str]:
    return ["perf", "stat", "-x,", "-e", EVENT, "-o", str(output), "--"]


def read(output: Path) -> int | None:
    return parse(output.read_text()) if output.exists() else None


def absence(where: Path) -> str:
    """Why nothing can be counted here, or the empty string."""
    if not shutil.which("perf"):
        return "perf is not installed"
    output = where / "probe"
    result = subprocess.run([*prefix(output), "true"], capture_output=True, text=True, timeout=30)
    if result.returncode != 0:
        return f"perf stat -e {EVENT} fails"
    return "" if read(output) else f"this machine does not offer perf's {EVENT}"
