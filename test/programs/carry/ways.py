# SPDX-License-Identifier: Apache-2.0
"""Starts a witness in every way Python knows and prints, as JSON, what each of them saw.

usage: ways.py FOLDER PRELOAD    (FOLDER for the witnesses' files, PRELOAD a library of the user's)"""
import ctypes
import json
import multiprocessing
import os
import shlex
import subprocess
import sys

import witness

FOLDER, PRELOAD = sys.argv[1:] if __name__ == "__main__" else ("", "")
OWN = {"LD_PRELOAD": PRELOAD, "OTHER": "1"}
MANY = {f"VARIABLE_{i}": "x" for i in range(4000)}


def command(path):
    return [sys.executable, witness.__file__, path]


def line(path):
    return " ".join(map(shlex.quote, command(path)))


def run(path, **options):
    subprocess.run(command(path), check=True, **options)


def wait(pid):
    assert os.waitpid(pid, 0)[1] == 0


def execute(start):
    """Forks and calls `start`, which must not return."""
    pid = os.fork()
    if pid == 0:
        try:
            start()
        finally:
            os._exit(99)
    wait(pid)


def by_descriptor(path):
    execute(lambda: os.execve(os.open(sys.executable, os.O_RDONLY), command(path), os.environ))


def by_popen(path):
    with os.popen(line(path)) as stream:
        stream.read()


def by_context(path, method):
    process = multiprocessing.get_context(method).Process(target=witness.testify, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == 0


def by_changed_environ(path):
    os.environ["ADDED"] = "1"
    try:
        assert os.system(line(path)) == 0
    finally:
        del os.environ["ADDED"]


def nested(path):
    inner = f"import os; os.execv('/bin/sh', ['sh', '-c', {'exec ' + line(path)!r}])"
    subprocess.run([sys.executable, "-c", inner], check=True)


WAYS = {
    "itself": witness.testify,
    "subprocess": run,
    "subprocess, env={}": lambda path: run(path, env={}),
    "subprocess, a copy": lambda path: run(path, env=os.environ.copy()),
    "subprocess, own LD_PRELOAD": lambda path: run(path, env=OWN),
    "subprocess, empty LD_PRELOAD": lambda path: run(path, env={"LD_PRELOAD": "", "A": "1"}),
    "subprocess, many variables": lambda path: run(path, env=MANY),
    "subprocess, by posix_spawn": lambda path: run(path, close_fds=False),
    "subprocess, by fork": lambda path: run(path, preexec_fn=lambda: None),
    "subprocess, shell": lambda path: subprocess.run(line(path), shell=True, check=True),
    "system": lambda path: os.system(line(path)),
    "system again": lambda path: os.system(line(path)),
    "system, a variable more": by_changed_environ,
    "system, a variable less": lambda path: os.system(line(path)),
    "system of libc": lambda path: ctypes.CDLL(None).system(os.fsencode(line(path))),
    "popen": by_popen,
    "posix_spawn": lambda path: wait(os.posix_spawn(sys.executable, command(path), os.environ)),
    "posix_spawn, {}": lambda path: wait(os.posix_spawn(sys.executable, command(path), {})),
    "posix_spawnp": lambda path: wait(os.posix_spawnp(sys.executable, command(path), os.environ)),
    "execv": lambda path: execute(lambda: os.execv(sys.executable, command(path))),
    "execve": lambda path: execute(lambda: os.execve(sys.executable, command(path), OWN)),
    "execvp": lambda path: execute(lambda: os.execvp(sys.executable, command(path))),
    "execvpe": lambda path: execute(lambda: os.execvpe(sys.executable, command(path), {})),
    "execl": lambda path: execute(lambda: os.execl(sys.executable, *command(path))),
    "execve of a descriptor": by_descriptor,
    "spawnv": lambda path: os.spawnv(os.P_WAIT, sys.executable, command(path)),
    "spawnve": lambda path: os.spawnve(os.P_WAIT, sys.executable, command(path), OWN),
    "spawnlp": lambda path: os.spawnlp(os.P_WAIT, sys.executable, *command(path)),
    "multiprocessing, fork": lambda path: by_context(path, "fork"),
    "multiprocessing, spawn": lambda path: by_context(path, "spawn"),
    "multiprocessing, forkserver": lambda path: by_context(path, "forkserver"),
    "python, sh, python": nested,
}


def main():
    seen = {}
    for i, (name, way) in enumerate(WAYS.items()):
        path = os.path.join(FOLDER, f"{i}.json")
        way(path)
        with open(path) as file:
            seen[name] = json.load(file)
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
