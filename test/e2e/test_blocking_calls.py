# SPDX-License-Identifier: Apache-2.0
"""Where the collector may not look, every call of the libc that blocks tells of its wait itself."""
import json
import pathlib
import subprocess

import pytest

import harness

FOLDER = harness.PROGRAMS / "undisturbed"
SOURCES = sorted((FOLDER / "calls").glob("*.c"))
OLD_AND_NEW = ("3.8", "3.13")
# What is told of the functions of calls/.
KINDS = {
    "sleep": "nanosleep clock_nanosleep usleep thrd_sleep sigwait sigwaitinfo sigtimedwait sigsuspend",
    "poll": "select pselect poll ppoll epoll_wait epoll_pwait",
    "io": "read readv preadv2 splice tee write writev vmsplice sendfile fcntl fcntl_ofd lockf flock"
          " open openat fgets fread fwrite recv recvfrom recvmsg recvmmsg send sendto sendmsg sendmmsg"
          " accept accept4 getaddrinfo gethostbyname_r gethostbyaddr_r getnameinfo msgrcv semop"
          " semtimedop mq_timedreceive",
    "child": "wait waitpid wait3 wait4 waitid system pclose",
    "lock": "pthread_join pthread_timedjoin thrd_join sem_wait sem_timedwait pthread_mutex_lock"
            " pthread_mutex_timedlock pthread_rwlock_rdlock pthread_rwlock_wrlock"
            " pthread_barrier_wait pthread_cond_wait pthread_cond_timedwait",
}
CALLS = {name: kind for kind, names in KINDS.items() for name in names.split()}
HEAD = """import ctypes, json, time
library = ctypes.CDLL({library!r})
took = {{}}
"""
# A line for each call: there its wait must be.
LINE = "begin = time.monotonic(); assert library.call_{name}() == 0, {name!r}; " \
       "took[{name!r}] = time.monotonic() - begin"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The library of calls, and what refuses a look into another process."""
    folder = tmp_path_factory.mktemp("calls")
    for name, sources, options in (("calls", SOURCES, ["-shared", "-fPIC", "-lresolv", "-lrt"]),
                                   ("deny", [FOLDER / "deny.c"], [])):
        subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-pthread", "-o", folder / name,
                        *sources, *options], check=True, timeout=60)
    return folder


def test_the_table_has_every_call_of_the_library():
    lines = [line for source in SOURCES for line in source.read_text().splitlines()]
    assert {line.split("(")[0][len("int call_"):] for line in lines
            if line.startswith("int call_")} == set(CALLS)


@pytest.mark.on(*OLD_AND_NEW)
def test_calls_that_block_tell_of_their_waits(scalene, interpreter, built, tmp_path):
    program = tmp_path / "calls.py"
    lines = [LINE.format(name=name) for name in CALLS]
    head = HEAD.format(library=str(built / "calls"))
    program.write_text("\n".join([head, *lines, "print(json.dumps(took))", ""]))
    path = tmp_path / "profile.json"
    result = harness.execute([built / "deny", harness.SCALENE, "run", "--cpu-only", "-o", path,
                              "--python", interpreter.path, program])
    assert result.status == 0, result.stderr
    profile, took = json.loads(path.read_text()), json.loads(result.stdout)
    assert profile["scalene"]["waits_seen"] == "inside"
    waits = {number: line["waits"] for number, line in harness.lines(profile, program.name).items()}
    first = len(head.splitlines()) + 1
    told = {name: waits.get(number, {}) for number, name in enumerate(CALLS, first + 1)}
    wrong = {name: (told[name], took[name]) for name, kind in CALLS.items()
             if not 0.09 < told[name].get(kind, 0) < took[name] + 0.01}
    assert not wrong, wrong
