#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scalene adds to the time of an empty program, measured side by side with the bare one.

The runs are interleaved, so that what else the machine does hits all of them alike; the figures
are medians of the differences within a round. More than 20 ms on an interpreter is a failure.
"""
from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Dict, List

from lib import interpreters
from lib.interpreters import Interpreter, harness

Commands = Dict[str, List[str]]
Times = Dict[str, List[float]]  # milliseconds, by the name of the command

LIMIT_MS = 20.0
WARM_UP = 3
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scalene-dev"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--peers", action="store_true", help="other profilers from PyPI too")
    return parser.parse_args()


def milliseconds(command: list[str], env: dict[str, str]) -> float:
    """The wall time of a command. With a time limit subprocess would poll for its end in steps of
    up to 50 ms, which is more than what is measured here."""
    begin = time.perf_counter()
    subprocess.run(
        command,
        env=env,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return 1000 * (time.perf_counter() - begin)


def measure(commands: Commands, env: dict[str, str], rounds: int) -> Times:
    """Times of each command, one of each per round."""
    for _ in range(WARM_UP):
        for command in commands.values():
            milliseconds(command, env)
    times: Times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(milliseconds(command, env))
    return times


def commands_for(interpreter: Interpreter, program: Path, folder: Path) -> Commands:
    scalene = [str(harness.SCALENE), "run", "--python", interpreter.path]
    scalene += ["-o", str(folder / "profile.json"), str(program)]
    return {
        "bare": [*interpreter.prefix, interpreter.path, str(program)],
        "scalene": [*interpreter.prefix, *scalene],
    }


def peer_commands(program: Path, folder: Path) -> Commands:
    """Other profilers, in an environment of their own; one that cannot be had is left out."""
    home = CACHE / "peers"
    python = str(home / "bin" / "python")
    if not Path(python).exists():
        venv.create(home, with_pip=True)
    candidates = {
        "scalene": ["-m", "scalene", "run", "-o", str(folder / "peer.json"), str(program)],
        "py-spy": ["record", "-f", "raw", "-o", str(folder / "peer"), "--", python, str(program)],
    }
    commands = {"bare": [python, str(program)]}
    for package, rest in candidates.items():
        install = [python, "-m", "pip", "install", "-q", "--only-binary", ":all:", package]
        start = [python] if rest[0] == "-m" else [str(home / "bin" / package)]
        try:
            subprocess.run(install, check=True, timeout=300, stdout=sys.stderr)
            milliseconds([*start, *rest], dict(os.environ))
        except (subprocess.SubprocessError, OSError) as error:
            print(f"{package} of PyPI is left out: {error}", file=sys.stderr)
            continue
        commands[f"{package} (PyPI)"] = [*start, *rest]
    return commands


def report(label: str, times: Times) -> float:
    """Prints a row per command against the bare one; returns the worst median difference."""
    bare, worst = times["bare"], 0.0
    for name, values in times.items():
        if name == "bare":
            continue
        differences = [value - base for value, base in zip(values, bare)]
        low, middle, high = statistics.quantiles(differences, n=4)
        base, value = statistics.median(bare), statistics.median(values)
        print(
            f"{label:12} {name:16} bare {base:6.1f} ms, with {value:6.1f} ms "
            f"({value / base:5.2f}x): {middle:+7.1f} ms, quartiles {low:+.1f} to {high:+.1f}",
            flush=True,
        )
        worst = max(worst, middle)
    return worst


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose(arguments.python)
    print(f"on {interpreters.machine()}, medians of {arguments.rounds} interleaved rounds")
    too_slow = []
    with tempfile.TemporaryDirectory(prefix="scalene-startup-") as name:
        folder = Path(name).resolve()
        program = folder / "empty.py"
        program.write_text("")
        for interpreter in found:
            env = interpreters.environment(interpreter)
            commands = commands_for(interpreter, program, folder)
            if report(interpreter.id, measure(commands, env, arguments.rounds)) > LIMIT_MS:
                too_slow.append(interpreter.id)
        if arguments.peers:
            # One that looks from outside gives up on a program that ends before it has looked.
            program.write_text("import time\ntime.sleep(0.3)\n")
            commands = peer_commands(program, folder)
            report("peers", measure(commands, dict(os.environ), arguments.rounds))
    for name, reason in missing.items():
        print(f"not covered: {name}: {reason}")
    verdict = f"too slow on {', '.join(too_slow)}" if too_slow else "ok on all"
    print(f"at most {LIMIT_MS:.0f} ms more: {verdict}")
    return 1 if too_slow or not found else 0


if __name__ == "__main__":
    sys.exit(main())
