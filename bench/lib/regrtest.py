# SPDX-License-Identifier: Apache-2.0
"""One run of CPython's test runner on one file of tests, and how each of its cases ended."""
from __future__ import annotations

import ctypes
import itertools
import json
import os
import signal
import subprocess
import time
import xml.etree.ElementTree as xml
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .interpreters import Interpreter, harness

# The runner says which case begins. None takes so long, nor a file, on a machine however busy.
SILENT_S, TIMEOUT_S = 240, 1200
HUNG = f"hung: silent for {SILENT_S} s, or more than {TIMEOUT_S} s in all"
SAID_BYTES = 4000
END = "(the process)"  # stands among the cases for how the whole run ended
SAMPLING = ("--cpu-sampling-rate", "0.0001")
# Later versions run tests that mostly wait only when asked; they are about signals and polls.
WALLTIME_SINCE = (3, 11)
# Cases left out on both sides, by file: these wait for ever where a vsock has no peer.
LEFT_OUT = {"test_socket": "*VSOCK*"}
PR_SET_CHILD_SUBREAPER = 36
# In a line of the runner that says why a file has no cases.
TELLING = ("skipped -- ", " crashed -- ", "Error: ", "no tests ran")

# Prints those of its arguments that are modules of the interpreter's test package.
PRESENT = """
import importlib.util as u, sys
def is_there(name):
    try: return u.find_spec("test." + name) is not None
    except ImportError: return False
print(*filter(is_there, sys.argv[1:]))
"""


@dataclass(frozen=True)
class Place:
    """Where runs take place: the interpreter, a folder for what they leave, the program tested."""

    interpreter: Interpreter
    folder: Path
    scalene: str
    numbers: "itertools.count[int]" = field(default_factory=itertools.count, compare=False)


@dataclass
class Run:
    seconds: float
    cases: dict[str, str]  # by name; END is not among them
    end: str
    counts: Counter[str]  # samples, and drops by reason
    said: str = ""  # the end of its output

    @property
    def is_hung(self) -> bool:
        return self.end == HUNG

    def end_of(self, case: str) -> str:
        return self.end if case == END else self.cases.get(case, "did not run")

    def differences(self, other: "Run") -> set[str]:
        """The cases that ended differently; of a run that broke off only that it did."""
        if self.end != other.end and not (self.cases and other.cases):
            return {END}
        return {
            case
            for case in {END, *self.cases, *other.cases}
            if self.end_of(case) != other.end_of(case)
        }

    @property
    def summary(self) -> str:
        counts = Counter(self.cases.values())
        others = "".join(f", {n} {what}" for what, n in counts.items() if what != "passed")
        return f"{counts['passed']} passed{others}"

    @property
    def reason(self) -> str:
        """Why a run that has no cases has none: by the runner's own words, if it has some."""
        if self.is_hung:
            return self.end
        lines = [line.strip() for line in self.said.splitlines() if line.strip()]
        telling = [line for line in lines if any(word in line for word in TELLING)]
        return (telling or lines or ["it said nothing"])[-1] + f" ({self.end})"


def present(interpreter: Interpreter, names: list[str]) -> list[str]:
    """Those of the files of tests that this interpreter has, in the order given."""
    command = [*interpreter.prefix, interpreter.path, "-c", PRESENT, *names]
    return harness.execute(command).stdout.split()


def release(interpreter: Interpreter) -> str:
    """The whole version, with a word if it is not the usual one of its version."""
    program = "import platform; print(platform.python_version())"
    command = [*interpreter.prefix, interpreter.path, "-c", program]
    _, _, build = interpreter.id.partition("-")
    return " ".join([harness.execute(command).stdout.strip(), *([build] if build else [])])


def run_bare(place: Place, name: str) -> Run:
    return run(place, name, f"{name}-{next(place.numbers)}-bare", [place.interpreter.path])


def run_hooked(place: Place, name: str) -> Run:
    """Bare, with tracemalloc, which hooks Python's allocators by the same call as our agent."""
    label = f"{name}-{next(place.numbers)}-hooked"
    return run(place, name, label, ["env", "PYTHONTRACEMALLOC=1", place.interpreter.path])


def run_ours(place: Place, name: str, *options: str) -> Run:
    label = f"{name}-{next(place.numbers)}-ours"
    profile = place.folder / f"{label}.json"
    start = [place.scalene, "run", "--python", place.interpreter.path, "-o", str(profile)]
    outcome = run(place, name, label, [*start, *SAMPLING, *options])
    if not profile.exists():
        outcome.end += " without a profile"
        return outcome
    outcome.counts = counts_of(profile)
    return outcome


def run(place: Place, name: str, label: str, start: list[str]) -> Run:
    """Runs the interpreter started by `start` on one file of tests, in a folder of its own."""
    folder = place.folder / label
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.xml"
    full_name = f"test.{name}" if "." in name else name
    command = [*place.interpreter.prefix, *start, "-m", "test", "-v", "--junit-xml", str(results)]
    if place.interpreter.version >= WALLTIME_SINCE:
        command += ["-u", "walltime"]
    if name in LEFT_OUT:
        command += ["-i", LEFT_OUT[name]]
    command += ["--tempdir", str(folder), full_name]
    begin = time.monotonic()
    with open(folder / "output", "wb") as output:
        end = end_of_process(command, folder, output)
    seconds, said = time.monotonic() - begin, (folder / "output").read_bytes()[-SAID_BYTES:]
    return Run(seconds, cases_in(results), end, Counter(), said.decode(errors="replace"))


def end_of_process(command: list[str], folder: Path, output) -> str:
    """How a command ended, in words; one that hangs is killed with all it started."""
    begin = time.time()
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        start_new_session=True,
    ) as process:  # fmt: skip
        while process.poll() is None:
            if is_hung(begin, output):
                kill_tree(process.pid)
                return HUNG
            time.sleep(0.05)
        status = process.returncode
    return f"status {status}" if status >= 0 else signal.Signals(-status).name


def is_hung(begin: float, output) -> bool:
    now, spoke = time.time(), os.fstat(output.fileno()).st_mtime
    return now - begin > TIMEOUT_S or now - max(begin, spoke) > SILENT_S


def cases_in(results: Path) -> dict[str, str]:
    """Outcomes by the name of the case; several of one name are numbered."""
    if not results.exists():
        return {}
    cases: dict[str, str] = {}
    for case in xml.parse(results).iter("testcase"):
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        name = base = case.get("name", "")
        for number in itertools.count(2):
            if name not in cases:
                break
            name = f"{base}#{number}"
        cases[name] = kinds.pop() if kinds else "passed"
    return cases


def counts_of(profile: Path) -> Counter[str]:
    """What a profile says of its samples: how many, and which were lost."""
    facts = json.loads(profile.read_text())["scalene"]
    drops = {what: n for what, n in facts["drops"].items() if n}
    return Counter({"samples": facts["samples"], "processes": len(facts["processes"]), **drops})


def adopt_orphans() -> None:
    """Processes whose parents end become ours, so that end_leftovers finds them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_leftovers() -> None:
    """Kills and reaps what runs left behind; to be called while none is under way."""
    for pid in children_by_parent().get(os.getpid(), []):
        kill_tree(pid)
        os.waitpid(pid, 0)


def children_by_parent() -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    return children


def kill_tree(root: int) -> None:
    """Kills a process and all that descend from it."""
    children, todo = children_by_parent(), [root]
    while todo:
        pid = todo.pop()
        todo += children.get(pid, [])
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
