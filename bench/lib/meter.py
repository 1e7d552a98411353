# SPDX-License-Identifier: Apache-2.0
"""Runs one command and measures its whole process tree; by `measure`, in a process of its own.

The process adopts orphans of the tree, so that the CPU time of every process in it is counted: the
target's and the collector's, whoever waits for whom. Wall time ends with the command itself.
With --memory it looks at the tree every 50 ms, which disturbs: not for runs whose time counts.
"""
from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
LOOK_EVERY_S = 0.05


@dataclass(frozen=True)
class Usage:
    """What a command and all its processes used."""

    status: int
    wall_s: float
    cpu_s: float
    peak_bytes: int  # largest sum of proportional set sizes seen; 0 if nobody looked
    said: str = ""


def measure(
    command: list[str], env: dict[str, str], timeout_s: float, with_memory: bool = False
) -> Usage:
    options = ["--memory"] if with_memory else []
    meter = [sys.executable, "-I", __file__, *options, str(timeout_s), *command]
    result = subprocess.run(
        meter, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    if result.returncode != 0:
        return Usage(255, 0.0, 0.0, 0, result.stderr[-1000:])
    return Usage(**json.loads(result.stdout.splitlines()[-1]), said=result.stderr[-1000:])


def children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            continue  # the thread has ended
    return found


def tree(pid: int) -> list[int]:
    """All processes below a process."""
    found = children(pid)
    return found + [below for child in found for below in tree(child)]


def pss_bytes(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass  # the process has ended
    return 0


def watch_memory(peak: list[int], is_over: threading.Event) -> None:
    while not is_over.wait(LOOK_EVERY_S):
        peak[0] = max(peak[0], sum(map(pss_bytes, tree(os.getpid()))))


def end_tree() -> None:
    """Ends what is still there: the command ran past its time, or left processes behind."""
    for pid in tree(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def reap_all() -> None:
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        return


def main() -> None:
    arguments = sys.argv[1:]
    with_memory = arguments[0] == "--memory"
    timeout, *command = arguments[1:] if with_memory else arguments
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    peak, is_over = [0], threading.Event()
    if with_memory:
        threading.Thread(target=watch_memory, args=(peak, is_over), daemon=True).start()
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    timer = threading.Timer(float(timeout), end_tree)
    timer.start()
    status = process.wait()
    wall_s = time.perf_counter() - begin
    timer.cancel()
    is_over.set()
    end_tree()
    reap_all()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = used.ru_utime + used.ru_stime
    print(json.dumps({"status": status, "wall_s": wall_s, "cpu_s": cpu_s, "peak_bytes": peak[0]}))


if __name__ == "__main__":
    main()
