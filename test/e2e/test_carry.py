# SPDX-License-Identifier: Apache-2.0
"""The agent's variables: invisible to the program and its children, and in force in all of them."""
import json
import os
import subprocess

import pytest

import harness

CARRY = harness.PROGRAMS / "carry"
C_WAYS = ["execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "execve-null",
          "fexecve", "execveat", "posix_spawn", "posix_spawnp", "vfork", "system", "popen"]
# More variables than the hooks put on the stack.
MANY = 4000
OURS = {"SCALENE_AGENT", "LD_PRELOAD"}
# Runs a command and ends as it did; the process the C programs below are children of.
START = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"


def compile_c(source, target, *options):
    subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", *options, "-o", target, source],
                   check=True, timeout=60)
    return target


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The C programs of this test, and a library that the user preloads."""
    folder = tmp_path_factory.mktemp("carry")
    for name in ("launch", "storm"):
        compile_c(CARRY / f"{name}.c", folder / name, "-pthread")
    compile_c(CARRY / "user.c", folder / "libuser.so", "-shared", "-fPIC")
    return folder


def environment(built, preload=None, n_more=0):
    """That of the test with the user's LD_PRELOAD early in it, and so many variables more."""
    clean = {name: value for name, value in os.environ.items() if name not in OURS}
    first, *rest = clean.items()
    own = {} if preload is None else {"LD_PRELOAD": preload.format(built=built)}
    more = {f"VARIABLE_{i}": "x" for i in range(n_more)}
    return dict([first, *own.items(), *rest, *more.items()])


def check(bare, carried, way):
    """A child sees the same as without us, and the agent is in it, once."""
    assert carried["environ"] == bare["environ"], way
    assert (bare["agents"], carried["agents"]) == (0, 1), way
    # In the middle of the kernel's copy, behind a variable of the user's, ours cannot be erased.
    if "LD_PRELOAD" not in dict(bare["environ"]):
        assert carried["kernel"] == bare["kernel"], way


@pytest.mark.parametrize("preload", [None, "{built}/libuser.so:libdl.so.2"], ids=["plain", "preload"])
def test_every_child_of_python_carries_the_agent_and_sees_nothing_of_it(
        scalene, interpreter, built, tmp_path, preload):
    arguments = [CARRY / "ways.py", tmp_path, built / "libuser.so"]
    env = environment(built, preload)
    bare = harness.bare(interpreter, *arguments, env=env)
    carried = scalene.run(*arguments, interpreter=interpreter, env=env)
    assert (bare.status, carried.status) == (0, 0), bare.stderr + carried.stderr
    want, got = json.loads(bare.stdout), json.loads(carried.stdout)
    assert list(want) == list(got) and len(want) > 30
    for way in want:
        check(want[way], got[way], way)


def launch(start, built, way, command, env):
    """What the witness started by launch.c saw, and what launch itself printed."""
    path = built / f"{way}.json"
    path.unlink(missing_ok=True)
    result = start("-c", START, built / "launch", way, command, CARRY / "witness.py", path, env=env)
    return result, json.loads(path.read_text()) if path.exists() else None


@pytest.mark.on("3.11")
@pytest.mark.parametrize("preload, n_more", [(None, 0), ("", 0), ("{built}/libuser.so", MANY)],
                         ids=["plain", "empty", "many"])
@pytest.mark.parametrize("way", C_WAYS)
def test_every_function_of_libc_carries_the_agent(
        scalene, interpreter, built, way, preload, n_more):
    env = environment(built, preload, n_more)
    bare, want = launch(lambda *a, **k: harness.bare(interpreter, *a, **k), built, way,
                        interpreter.path, env)
    carried, got = launch(lambda *a, **k: scalene.run(*a, interpreter=interpreter, **k), built, way,
                          interpreter.path, env)
    assert (bare.status, carried.status) == (0, 0), carried.stdout + carried.stderr
    check(want, got, way)


@pytest.mark.on("3.11")
@pytest.mark.parametrize("n_more", [0, MANY], ids=["few", "many"])
@pytest.mark.parametrize("way", C_WAYS)
def test_a_failed_start_fails_as_it_does_bare(scalene, interpreter, built, way, n_more):
    env = environment(built, n_more=n_more)
    bare, _ = launch(lambda *a, **k: harness.bare(interpreter, *a, **k), built, way,
                     "/no/such/program", env)
    carried, _ = launch(lambda *a, **k: scalene.run(*a, interpreter=interpreter, **k), built, way,
                        "/no/such/program", env)
    assert bare.status != 0
    assert (carried.status, carried.stdout) == (bare.status, bare.stdout)


@pytest.mark.on("3.11")
@pytest.mark.parametrize("others", ["read", "overwrite", "add"])
def test_threads_may_use_the_environment_while_a_shell_is_started(
        scalene, interpreter, built, others):
    bare = harness.bare(interpreter, "-c", START, built / "storm", others)
    assert (bare.status, bare.stdout) == (0, "")
    carried = scalene.run("-c", START, built / "storm", others, interpreter=interpreter)
    assert (carried.status, carried.stdout) == (0, "")


@pytest.mark.on("3.11")
def test_shells_started_at_once_all_carry_the_agent(scalene, interpreter):
    assert harness.bare(interpreter, CARRY / "pool.py").stdout == "0\n"
    assert scalene.run(CARRY / "pool.py", interpreter=interpreter).stdout == "100\n"
