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

from . import interpreters
from .interpreters import Interpreter

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scalene-dev"
# Fixed, so that the same programs are measured everywhere; the peers are what PyPI has now.
PYPERFORMANCE = "pyperformance==1.14.0"
# pyperformance asks for sympy 1.8, which needs distutils; Python 3.12 has none any more.
INSTEAD = ("sympy==1.13.3",)
PEERS = ("scalene", "py-spy", "memray")
# What our own programs import.
LIBRARIES = ("numpy",)
INSTALL_LIMIT_S = 600

BARE, AGAIN, OURS, FULL = "bare", "bare again", "scalene", "scalene --memory"


@dataclass(frozen=True)
class Tool:
    """A way of running a program: what stands before it, and the file that proves it profiled."""

    name: str
    prefix: list[str]
    output: Path | None = None
    is_peer: bool = False


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
    (home / "done").touch()


def add_missing(python: str) -> None:
    """What cannot be had is tried again the next time, and left out this time."""
    for package in (*LIBRARIES, *PEERS):
        if package in versions(python):
            continue
        try:
            pip(python, package)
        except subprocess.SubprocessError as error:
            print(f"{package} of PyPI is left out: {error}", file=sys.stderr)


def suite(interpreter: Interpreter, sources: set[str]) -> Suite:
    home = CACHE / f"overhead-{interpreter.id}"
    if not (home / "done").exists():
        install(home, interpreter, sources)
    python = str(home / "bin" / "python")
    add_missing(python)
    return Suite(python, benchmarks_of(home), versions(python))


def installed_for(command: str, python: str, sources: set[str]) -> Suite | None:
    """The suite of an interpreter of this machine; None: there is none, and why was said."""
    found, missing = interpreters.choose([python])
    if found and found[0].place == "here":
        return suite(found[0], sources)
    reason = missing.get(python, "the programs cannot be installed for it")
    print(f"{command}: {python}: {reason}", file=sys.stderr)
    return None


def environment() -> dict[str, str]:
    """In which every run does the same work."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    env.pop("PYTHONPATH", None)
    return env


def versions(python: str) -> dict[str, str]:
    """The installed versions of what matters here, by package name."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "list", "--format", "freeze"]
    text = subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE, text=True).stdout
    pairs = (line.split("==", 1) for line in text.splitlines() if "==" in line)
    return {name: version for name, version in pairs if name in (*PEERS, *LIBRARIES, "pyperformance")}


def own_copy(build: Path, folder: Path) -> str:
    """The program as built, out of reach of a build that happens meanwhile."""
    folder.mkdir()
    for name in ("scalene", "libscalene.so", "libscalene-cpu.so"):
        shutil.copy(build / name, folder)
    return str(folder / "scalene")


def own_tools(installed: Suite, build: Path, where: Path) -> list[Tool]:
    scalene, output = own_copy(build, where / "bin"), where / "ours.json"
    rest = ["--python", installed.python, "-o", str(output)]
    return [
        Tool(OURS, [scalene, "run", "--cpu-only", *rest], output),
        Tool(FULL, [scalene, "run", "--memory", *rest], output),
    ]


def peer_tools(installed: Suite, where: Path) -> list[Tool]:
    """All of them at their own default rate; scalene of PyPI for CPU time only and for all it can."""
    python, spy = installed.python, str(Path(installed.python).parent / "py-spy")
    output = where / "peer"
    upstream = [python, "-m", "scalene", "run", "-o", f"{output}.json"]
    candidates = {
        ("scalene", ", CPU only"): ([*upstream, "--cpu-only"], Path(f"{output}.json")),
        ("scalene", ", full"): (upstream, Path(f"{output}.json")),
        ("py-spy", ""): ([spy, "record", "-f", "raw", "-o", str(output), "--", python], output),
        ("memray", ""): ([python, "-m", "memray", "run", "-q", "-f", "-o", str(output)], output),
    }
    return [
        Tool(f"{package} {installed.versions[package]} (PyPI){mode}", prefix, path, is_peer=True)
        for (package, mode), (prefix, path) in candidates.items()
        if package in installed.versions
    ]


def choose(installed: Suite, build: Path, where: Path, modes: list[str]) -> list[Tool]:
    """The tools of some modes ("cpu", "full", "peers"), after bare and bare again."""
    bare = [Tool(BARE, [installed.python]), Tool(AGAIN, [installed.python])]
    wanted = {OURS: "cpu" in modes, FULL: "full" in modes}
    ours = [tool for tool in own_tools(installed, build, where) if wanted[tool.name]]
    return bare + ours + (peer_tools(installed, where) if "peers" in modes else [])
