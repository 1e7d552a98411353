# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests stand on: the program as built, the interpreters, and how to run them."""
import json
import os
import pathlib
import re
import signal
import subprocess
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Dict, List, Optional, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
SCALENE = BUILD / "scalene"
PROGRAMS = ROOT / "test" / "programs"
# A function that costs time on its fourth line and nothing else; busy() makes a program of it.
SPIN = """\
def spin(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total
"""
# Generous: what is being tested takes a second or less, but the machine may be busy.
TIMEOUT_S = 120


@dataclass(frozen=True)
class Interpreter:
    """A Python to test on; `place` is "here" or "sid" (run by script/in-sid)."""

    id: str
    place: str
    path: str
    numpy: Optional[str] = None

    @property
    def prefix(self) -> List[str]:
        """What stands before a command that has to run where this interpreter is."""
        return [str(ROOT / "script/in-sid")] if self.place == "sid" else []

    @property
    def version(self) -> "tuple[int, int]":
        major, minor = self.id.split("-")[0].split(".")
        return int(major), int(minor)


@lru_cache(maxsize=None)
def listed() -> "tuple[List[Interpreter], Dict[str, str]]":
    """The interpreters that are there, and for each one that is not: why."""
    text = subprocess.run([ROOT / "script/interpreters"], check=True, timeout=60,
                          stdout=subprocess.PIPE, text=True).stdout
    there, missing = [], {}
    for line in text.splitlines():
        name, place, path, numpy = line.split("\t")
        if place == "missing":
            missing[name] = path
        else:
            there.append(Interpreter(name, place, path, None if numpy == "-" else numpy))
    return there, missing


def interpreters() -> List[Interpreter]:
    return listed()[0]


def newest_here() -> Interpreter:
    """Any interpreter of this machine will do: the newest."""
    return [i for i in interpreters() if i.place == "here"][-1]


def busy(tell: str, n: int = 4_000_000) -> str:
    """The text of a program that is busy for some tenths of a second and prints `tell`."""
    return f"import sys\n{SPIN}spin({n})\nprint({tell})\n"


@dataclass
class Result:
    """How a command ended; status is the exit status, or minus the signal that ended it."""

    status: int
    stdout: str
    stderr: str
    profile_path: Optional[pathlib.Path] = None
    command: Sequence[str] = field(default=(), repr=False)

    @property
    def profile(self) -> dict:
        assert self.profile_path and self.profile_path.exists(), f"no profile; stderr: {self.stderr}"
        return json.loads(self.profile_path.read_text())

    @property
    def own_stderr(self) -> str:
        """What the program itself wrote to stderr: the closing message of scalene taken away."""
        return CLOSING.sub("", self.stderr)


# At the very end: remarks of ours, if any, then the blank line and the three lines of the message.
CLOSING = re.compile(r"(?:(?:scalene: |Scalene execution )[^\n]*\n)*\nScalene: profile saved to [^\n]*\n(?:  [^\n]*\n){2}\Z")


def execute(command: Sequence[str], *, stdin: Optional[str] = None, env: Optional[dict] = None,
            cwd: Optional[os.PathLike] = None, timeout: float = TIMEOUT_S) -> Result:
    """Runs a command in a session of its own, so that whatever it leaves behind can be ended."""
    command = [str(part) for part in command]
    with subprocess.Popen(command, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd,
                          start_new_session=True) as process:
        try:
            out, err = process.communicate(stdin.encode() if stdin is not None else None, timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"{command} still ran after {timeout} s; its stderr: "
                                 f"{err.decode(errors='replace')[-2000:]}") from None
    return Result(process.returncode, out.decode(errors="surrogateescape"),
                  err.decode(errors="surrogateescape"), command=command)


class Scalene:
    """build/scalene, with a folder of its own for the profiles it writes."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.n_runs = 0

    def __call__(self, *arguments, interpreter: Optional[Interpreter] = None, **options) -> Result:
        """Any command line: build/scalene ARGUMENTS."""
        prefix = interpreter.prefix if interpreter else []
        return execute([*prefix, SCALENE, *arguments], **options)

    def run(self, *arguments, interpreter: Optional[Interpreter] = None,
            options: Sequence[str] = (), **more) -> Result:
        """scalene run OPTIONS ARGUMENTS, the profile in a new file."""
        self.n_runs += 1
        path = self.folder / f"profile-{self.n_runs}.json"
        python = ["--python", interpreter.path] if interpreter else []
        result = self("run", "-o", path, *python, *options, *arguments, interpreter=interpreter, **more)
        result.profile_path = path
        return result


def bare(interpreter: Interpreter, *arguments, **options) -> Result:
    """The interpreter itself, without us."""
    return execute([*interpreter.prefix, interpreter.path, *arguments], **options)


def cpu_seconds(profile: dict) -> float:
    """All CPU time that was charged to something: to lines, and to none of them."""
    facts = profile["scalene"]
    return sum(facts[f"cpu_seconds_{kind}"] for kind in ("python", "native", "system")) + \
        facts["outside_seconds"] - facts["idle_seconds"]


def thread_seconds(profile: dict) -> float:
    """All CPU time by the clocks of the threads."""
    return sum(thread["cpu_seconds"] for process in profile["scalene"]["processes"]
               for thread in process["threads"])


def lines(profile: dict, path: os.PathLike) -> Dict[int, dict]:
    """The lines of a file by number; the file may be given by the end of its path."""
    for name, file in profile["files"].items():
        if name.endswith(str(path)):
            return {line["lineno"]: line for line in file["lines"]}
    raise AssertionError(f"{path} is not among {list(profile['files'])}")
