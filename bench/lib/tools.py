# SPDX-License-Identifier: Apache-2.0
"""The profilers that are compared, and the environment with them and the programs of pyperformance.

Everything from PyPI lies in one virtual environment per interpreter in the cache, made once. A
profiler that cannot be had for an interpreter is left out, with the reason.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .interpreters import Interpreter

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scalene-dev"
# Fixed, so that the same programs are measured everywhere; the peers are what PyPI has now.
PYPERFORMANCE = "pyperformance==1.14.0"
# pyperformance asks for sympy 1.8, which needs distutils; Python 3.12 has none any more.
INSTEAD = ("sympy==1.13.3",)
PEERS = ("scalene", "py-spy")
INSTALL_LIMIT_S = 600

BARE, AGAIN, OURS = "bare", "bare again", "scalene"


@dataclass(frozen=True)
class Tool:
    """A way of running a program: what stands before it, and the file that proves it profiled."""

    name: str
    prefix: list[str]
    output: Path | None = None


@dataclass(frozen=True)
class Suite:
    """An interpreter with the programs and the peers installed beside it."""

    python: str
    benchmarks: Path
    versions: dict[str, str]


def pip(python: str, *arguments: str) -> None:
    command = [python, "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    command += ["--only-binary", ":all:", *arguments]
    subprocess.run(command, check=True, timeout=INSTALL_LIMIT_S, stdout=sys.stderr)


def benchmarks_of(home: Path) -> Path:
    found = list(home.glob("lib/python3*/site-packages/pyperformance/data-files/benchmarks"))
    return found[0] if found else home / "absent"


def install(home: Path, interpreter: Interpreter, sources: set[str]) -> None:
    """`done` is written last, so that a broken try is made again."""
    print(f"installing {PYPERFORMANCE} and peers from PyPI into {home}", file=sys.stderr)
    subprocess.run([interpreter.path, "-m", "venv", "--clear", str(home)], check=True, timeout=120)
    python = str(home / "bin" / "python")
    pip(python, PYPERFORMANCE)
    for source in sorted(sources):
        requirements = benchmarks_of(home) / source / "requirements.txt"
        if requirements.exists():
            pip(python, "-r", str(requirements))
    pip(python, *INSTEAD)
    for peer in PEERS:
        try:
            pip(python, peer)
        except subprocess.SubprocessError as error:
            print(f"{peer} of PyPI is left out: {error}", file=sys.stderr)
    (home / "done").touch()


def suite(interpreter: Interpreter, sources: set[str]) -> Suite:
    home = CACHE / f"overhead-{interpreter.id}"
    if not (home / "done").exists():
        install(home, interpreter, sources)
    python = str(home / "bin" / "python")
    return Suite(python, benchmarks_of(home), versions(python))


def versions(python: str) -> dict[str, str]:
    """The installed versions of what matters here, by package name."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "list", "--format", "freeze"]
    text = subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE, text=True).stdout
    pairs = (line.split("==", 1) for line in text.splitlines() if "==" in line)
    return {name: version for name, version in pairs if name in (*PEERS, "pyperformance")}


def own_copy(build: Path, folder: Path) -> str:
    """The program as built, out of reach of a build that happens meanwhile."""
    folder.mkdir()
    for name in ("scalene", "libscalene.so", "libscalene-cpu.so"):
        shutil.copy(build / name, folder)
    return str(folder / "scalene")


def peer_name(package: str, version: str) -> str:
    return f"{package} {version} (PyPI)"


def choose(installed: Suite, build: Path, where: Path, with_peers: bool) -> list[Tool]:
    """All of them at their own default rate, for CPU time only where they can do more."""
    python, binaries = installed.python, Path(installed.python).parent
    ours, peer, raw = where / "ours.json", where / "peer.json", where / "peer.raw"
    scalene = [
        own_copy(build, where / "bin"),
        "run",
        "--cpu-only",
        "--python",
        python,
        "-o",
        str(ours),
    ]
    prefixes = {
        "scalene": [python, "-m", "scalene", "run", "--cpu-only", "-o", str(peer)],
        "py-spy": [str(binaries / "py-spy"), "record", "-f", "raw", "-o", str(raw), "--", python],
    }
    outputs = {"scalene": peer, "py-spy": raw}
    tools = [Tool(BARE, [python]), Tool(AGAIN, [python]), Tool(OURS, scalene, ours)]
    for package, prefix in prefixes.items():
        if with_peers and package in installed.versions:
            name = peer_name(package, installed.versions[package])
            tools.append(Tool(name, prefix, outputs[package]))
    return tools
