#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A long run: 100 GB allocated and freed by eight threads, bare and under scalene.

Fails if the agent has more than 32 MB resident, if the recording grows faster than the rate of
samples allows, or if the profile is not small. What the process has resident at most is told beside it:
it differs by tens of megabytes from run to run, as the threads happen to meet. So a tenth as much is
allocated by the same threads one after the other, too: there the process itself may have 32 MB more.
"""
from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from lib import interpreters
from lib.interpreters import Interpreter, harness

PROGRAMS = Path(__file__).resolve().parent / "programs"
AGENT_MB_MAX = 32.0
# 10,000 samples a second of memory, a record for the block and one for its end, with some to spare.
RECORDING_MB_S_MAX = 3.0
PROFILE_MB_MAX = 10.0
LIMIT_S = 3600


@dataclass
class Run:
    seconds: float
    resident_mb: float  # at most
    agent_mb: float


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=["3.12"], metavar="ID", help="3.12, 3.11-debian")
    parser.add_argument("--gigabytes", type=float, default=100.0)
    parser.add_argument("--minutes", type=float, default=0.0, help="over which they are spread: as fast as it goes")
    return parser.parse_args()


def timed(command: list[str]) -> Run:
    begin = time.monotonic()
    done = subprocess.run(command, check=True, timeout=LIMIT_S, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    resident, agent = done.stdout.split()
    return Run(time.monotonic() - begin, int(resident) / 1024, int(agent) / 1024)


def size_mb(path: Path) -> float:
    return path.stat().st_size / (1 << 20)


def soak(interpreter: Interpreter, gigabytes: float, minutes: float, folder: Path) -> bool:
    library = folder / "libsoak.so"
    subprocess.run(["gcc", "-O2", "-fno-builtin", "-shared", "-fPIC", PROGRAMS / "soak.c", "-o", library], check=True)
    recording, profile = folder / "soak.rec", folder / "soak.json"
    program = [str(PROGRAMS / "soak.py"), str(library)]
    python = [*interpreter.prefix, interpreter.path]
    scalene = [*interpreter.prefix, str(harness.SCALENE), "run", "--memory", "--record", str(recording),
               "-o", str(profile), "--python", interpreter.path]
    in_turn, at_once = [str(gigabytes / 10), "0", "in turn"], [str(gigabytes), str(round(60 * minutes)), "at once"]
    added = timed([*scalene, *program, *in_turn]).resident_mb - timed([*python, *program, *in_turn]).resident_mb
    bare = timed([*python, *program, *at_once])
    full = timed([*scalene, *program, *at_once])
    memory = json.loads(profile.read_text())["scalene"]["memory"]
    rate = size_mb(recording) / full.seconds
    counted = (memory["exact"]["python_mb"] + memory["exact"]["native_mb"]) * (1 << 20) / 1e9
    print(f"{interpreter.id}: {gigabytes:g} GB asked for ({counted:.1f} GB counted, {memory['samples']} samples, "
          f"{memory['drops']} drops)\n"
          f"  wall {bare.seconds:.0f} s bare, {full.seconds:.0f} s under scalene\n"
          f"  the agent has {full.agent_mb:.1f} MB resident; the process at most {full.resident_mb:.1f} MB, "
          f"{bare.resident_mb:.1f} MB bare\n"
          f"  with a tenth as much by one thread after the other the process has {added:.1f} MB more than bare\n"
          f"  recording {size_mb(recording):.1f} MB, {rate:.2f} MB/s; profile {size_mb(profile):.2f} MB")
    return (0 < full.agent_mb <= AGENT_MB_MAX and added <= AGENT_MB_MAX and rate <= RECORDING_MB_S_MAX
            and size_mb(profile) <= PROFILE_MB_MAX)


def main() -> int:
    arguments = parse_arguments()
    found, missing = interpreters.choose_aloud(arguments.python)
    with tempfile.TemporaryDirectory() as folder:
        results = [soak(interpreter, arguments.gigabytes, arguments.minutes, Path(folder)) for interpreter in found]
    print(f"on {interpreters.machine()}")
    results.append(not missing)
    print("soak: within bounds" if all(results) else "soak: OUT OF BOUNDS")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
