# SPDX-License-Identifier: Apache-2.0
"""Programs are not disturbed by being watched: no call interrupted, no signal taken, lost or added.

And where the kernel does not let us look, the program still runs, is still profiled, and the
profile says what could not be seen.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from lib import source  # noqa: E402  (found by the line above)

FOLDER = harness.PROGRAMS / "undisturbed"
FASTEST = ("--cpu-sampling-rate", "0.0001")
# How long threads stay blocked; `make waits` asks for 10 s.
BLOCKED_S = os.environ.get("SCALENE_BLOCKED_S", "2")
# Who calls the kernel how is a matter of libc and the kernel: an old, a static, a new one will do.
SOME = ("3.8", "3.11-debian", "3.12", "3.14")


@pytest.fixture(scope="module")
def built():
    """The C helpers, in a folder that any user may read."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="scalene-undisturbed-"))
    folder.chmod(0o755)
    for name, options in (("blocked", ["-shared", "-fPIC"]), ("faults", ["-shared", "-fPIC"]),
                          ("small_stacks", ["-shared", "-fPIC"]), ("deny", []),
                          ("handlers", ["-shared", "-fPIC"]), ("corners", ["-shared", "-fPIC"])):
        subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-pthread", *options, "-o",
                        folder / name, FOLDER / f"{name}.c"], check=True, timeout=60)
    yield folder
    shutil.rmtree(folder)


def both(scalene, interpreter, *arguments, **more):
    """The program bare and under scalene at the fastest rate."""
    bare = harness.bare(interpreter, *arguments, **more)
    watched = scalene.run(*arguments, interpreter=interpreter, options=FASTEST, **more)
    return bare, watched


def assert_same(bare, watched):
    assert watched.stdout == bare.stdout
    assert watched.status == bare.status


def interrupted(result):
    assert result.status == 0, result.stderr
    return {kind: counts["interrupted"] for kind, counts in json.loads(result.stdout).items()}


@pytest.mark.on(*SOME)
@pytest.mark.parametrize("restarting", ["yes", "no"])
@pytest.mark.parametrize("way", ["long", "short", "signals"])
def test_no_call_is_interrupted_that_is_not_interrupted_bare(
        scalene, interpreter, built, way, restarting):
    arguments = [FOLDER / "blocked.py", built / "blocked", way, restarting, BLOCKED_S]
    bare, watched = both(scalene, interpreter, *arguments)
    assert interrupted(watched) == interrupted(bare)
    # Signals the program sends to itself interrupt as they should; nothing else ever does.
    asked_for = {"yes": 20, "no": 25}[restarting] if way == "signals" else 0
    assert sum(interrupted(bare).values()) == asked_for


@pytest.mark.on(*SOME)
@pytest.mark.parametrize("way", ["long", "short", "signals"])
def test_no_call_is_interrupted_whose_waits_are_told_from_inside(
        interpreter, built, tmp_path, way):
    """Under a filter that lets nobody look, every call that blocks is timed by the agent."""
    arguments = [FOLDER / "blocked.py", built / "blocked", way, "no", BLOCKED_S]
    path = tmp_path / "profile.json"
    bare = harness.bare(interpreter, *arguments)
    told = harness.execute([*interpreter.prefix, built / "deny", harness.SCALENE, "run", *FASTEST,
                            "-o", path, "--python", interpreter.path, *arguments])
    assert interrupted(told) == interrupted(bare)
    facts = json.loads(path.read_text())["scalene"]
    assert facts["waits_seen"] == "inside"
    # Five calls that block, each in a thread of its own; only the long ones are sure to block.
    waits = facts["waits"]
    for kind, n in {"sleep": 1, "poll": 2, "lock": 1, "io": 1}.items():
        assert waits[kind] > (0.9 * n * float(BLOCKED_S) if way == "long" else 0), waits


SAME = {
    "timers": [],
    "takers": [],
    "faults": ["{built}/faults"],
    "forks": [],
    "execs": [],
    "masked": [],
    "small_stacks": ["{built}/small_stacks"],
    "second_interpreter": [],
    "handlers": ["{built}/handlers"],
    "corners": ["{built}/corners"],
    "tracers": [],
}


@pytest.mark.on(*SOME)
@pytest.mark.parametrize("name", SAME)
def test_program_does_the_same_at_the_fastest_rate(scalene, interpreter, built, name):
    arguments = [argument.format(built=built) for argument in SAME[name]]
    bare, watched = both(scalene, interpreter, FOLDER / f"{name}.py", *arguments)
    assert_same(bare, watched)
    assert bare.stdout, bare.stderr


FILTER = """
import ctypes, struct, time
LOAD_NUMBER, JUMP_UNLESS, RETURN, ALLOW, REFUSE = 0x20, 0x15, 0x06, 0x7fff0000, 0x00050001
PERF_EVENT_OPEN, NO_NEW_PRIVS, SECCOMP, BY_FILTER = 298, 38, 22, 2
steps = [(LOAD_NUMBER, 0, 0, 0), (JUMP_UNLESS, 0, 1, PERF_EVENT_OPEN), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
prctl, word = ctypes.CDLL(None).prctl, ctypes.c_ulong
assert prctl(NO_NEW_PRIVS, word(1), word(0), word(0), word(0)) == 0
assert prctl(SECCOMP, word(BY_FILTER), word(ctypes.addressof(program)), word(0), word(0)) == 0
while time.process_time() < 0.8:
    sum(range(1000))
"""


@pytest.mark.on("3.12")
def test_process_that_refuses_itself_some_calls_is_measured(scalene, interpreter):
    """One that would be killed for them is not (corners.c)."""
    result = scalene.run("-c", FILTER, interpreter=interpreter)
    assert result.status == 0, result.stderr
    assert harness.cpu_seconds(result.profile) > 0.7


def test_fault_is_told_by_faulthandler_as_it_is_bare(scalene, interpreter):
    """The traceback of the thread that died, without what newer versions say of the C stack."""
    bare, watched = both(scalene, interpreter, FOLDER / "fault_dumps.py")

    def told(text):
        assert "Segmentation fault" in text, (bare, watched)
        return [line for line in text.splitlines() if line.startswith("  File")]

    assert told(watched.own_stderr) == told(bare.stderr)
    assert_same(bare, watched)
    assert bare.status == -11


def test_threads_that_block_every_signal_are_measured(scalene, interpreter, tmp_path):
    truth = tmp_path / "truth.json"
    result = scalene.run(FOLDER / "masked.py", interpreter=interpreter,
                         env=dict(os.environ, TRUTH=str(truth)))
    assert result.status == 0, result.stderr
    spent, seen = json.loads(truth.read_text()), callers(result.profile, "work")
    whole = sum(spent.values())
    # Where no signal gets through there are no samples, but the clock is exact all the same.
    cpu = harness.cpu_seconds(result.profile)
    assert cpu == pytest.approx(whole, rel=0.1, abs=0.15)
    for name in ("python", "libc", "inherited"):
        assert seen.get(f"work_{name}", 0) >= 20, f"{name}: {seen}"


def callers(profile, function):
    """How many samples had `function` innermost, by who called it."""
    counts = {}
    for frames, facts in profile["stacks"]:
        names = [frame.rpartition(":")[0].rpartition(" ")[2] for frame in frames]
        if function in names[1:]:
            caller = names[names.index(function) - 1]
            counts[caller] = counts.get(caller, 0) + facts["count"]
    return counts


# ---- no access ----

def world_readable(built):
    """A copy of what is built where an ordinary user can read it."""
    for name in ("scalene", "libscalene.so", "libscalene-cpu.so"):
        shutil.copy(harness.BUILD / name, built / name)
        (built / name).chmod(0o755)
    for name in ("guarded.py", "hidden.py"):
        shutil.copy(FOLDER / name, built / name)
        (built / name).chmod(0o644)
    return built / "scalene"


def system_python():
    """An interpreter that any user can read: not one of somebody's home."""
    for interpreter in harness.interpreters():
        if interpreter.place == "here" and interpreter.path.startswith("/usr/"):
            return interpreter
    return None


AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
             "--bounding-set=-all"]
# By name: what stands before the command, and the arguments of the program.
ACCESS = {
    "user": ([], []),
    "seccomp": (["{built}/deny"], []),
    "undumpable": ([], ["undumpable"]),
    "seccomp and undumpable": (["{built}/deny"], ["undumpable"]),
}


def tagged(profile, key, program="guarded.py"):
    """Sums of a key over the lines of each tag of a program."""
    tags, sums = source.tags(FOLDER / program), {}
    for number, line in harness.lines(profile, program).items():
        tag = tags.get(number)
        sums[tag] = sums.get(tag, 0.0) + line[key]
    return sums


def worked(profile):
    """CPU seconds of guarded.py's work. Of which kind is not asked: on a machine with much to do a
    single sample may stand for a tenth of a second."""
    kinds = [tagged(profile, f"cpu_seconds_{kind}")["work"] for kind in ("python", "native", "system")]
    return sum(kinds) - tagged(profile, "idle_seconds")["work"]


def run_guarded(built, before, program, *arguments, as_user=AS_NOBODY):
    """Runs a program as an ordinary user would, with less access: the result and the profile."""
    interpreter = system_python()
    assert interpreter, "there is no Python in /usr/bin to run as another user"
    scalene = world_readable(built)
    before = [*(as_user if os.geteuid() == 0 else []), *(p.format(built=built) for p in before)]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = pathlib.Path(folder) / "profile.json"
        result = harness.execute([*before, scalene, "run", "-o", path, "--python",
                                  interpreter.path, built / program, *arguments], cwd=folder)
        return result, json.loads(path.read_text())


@pytest.mark.parametrize("access", ACCESS)
def test_without_access_waits_are_told_from_inside_and_the_profile_says_so(built, access):
    before, arguments = ACCESS[access]
    result, profile = run_guarded(built, before, "guarded.py", *arguments)
    assert result.status == 3, result.stderr
    assert worked(profile) == pytest.approx(0.5, abs=0.1)
    sees_all = access == "user"
    waits_seen = profile["scalene"]["waits_seen"]
    assert waits_seen == ("outside" if sees_all else "inside")
    assert {p["waits_seen"] for p in profile["scalene"]["processes"]} == {waits_seen}
    idle = tagged(profile, "idle_seconds")
    assert idle["work"] < 0.1, f"sleeping is told of a line that works: {idle}"
    assert idle["nap"] == pytest.approx(0.5, abs=0.15)


def in_namespace(mount):
    """What stands before a command that is to see another /proc."""
    return ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]


NO_PROC = in_namespace("mount -t tmpfs none /proc")
HIDEPID = in_namespace("mount -t proc -o hidepid=2 proc /proc")


def skip_without_namespaces():
    if harness.execute([*NO_PROC, "true"]).status != 0:
        pytest.skip("this user may not make a mount namespace, or not mount in it")


def test_user_who_sees_only_his_own_processes_sees_all_he_needs(built):
    skip_without_namespaces()
    result, profile = run_guarded(built, [], "guarded.py", as_user=[*HIDEPID, *AS_NOBODY])
    assert result.status == 3, result.stderr
    assert profile["scalene"]["waits_seen"] == "outside"
    assert worked(profile) == pytest.approx(0.5, abs=0.1)
    (nap,) = (line for line in harness.lines(profile, "guarded.py").values()
              if line["waits"].get("sleep", 0) > 0.3)
    assert "sleep(" in nap["line"]


@pytest.mark.on("3.12")
def test_processes_of_another_namespace_are_known_by_their_own_numbers(scalene, interpreter):
    """They are 1 and 2 there, which are somebody else's numbers here."""
    skip_without_namespaces()
    result = scalene.run(FOLDER / "namespace.py", interpreter=interpreter)
    if result.status == 5:
        pytest.skip("this user may not make a namespace of processes")
    numbers = [line.split(" is ") for line in result.stdout.splitlines()]
    assert [there for _, there in numbers[1:]] == ["1", "2"], result.stdout
    processes = {process["pid"]: process for process in result.profile["scalene"]["processes"]}
    assert sorted(processes) == sorted(int(here) for here, _ in numbers)
    for here, _ in numbers[1:]:
        process = processes[int(here)]
        assert process["samples"] >= 10 and process["total_cpu_seconds"] < process["cpu_seconds"] + 1


@pytest.mark.on("3.12")
@pytest.mark.parametrize("mounts", [[], ["--mount-proc"]], ids=["outer /proc", "own /proc"])
def test_waits_in_a_sandbox_are_seen(scalene, interpreter, mounts):
    """Its processes and threads have other numbers there than here."""
    if harness.execute(["unshare", "--pid", "--fork", "--mount-proc", "true"]).status != 0:
        pytest.skip("this user may not make a namespace of processes")
    result = scalene.run(FOLDER / "sandboxed.py", *mounts, interpreter=interpreter)
    assert result.status == 0, result.stderr
    assert {p["waits_seen"] for p in result.profile["scalene"]["processes"]} == {"outside"}
    idle = tagged(result.profile, "idle_seconds", "sandboxed.py")
    assert idle["nap"] == pytest.approx(0.5, abs=0.15) and idle["work"] < 0.1, idle
    waits = result.profile["scalene"]["waits"]
    assert waits["sleep"] == pytest.approx(0.5, abs=0.15) and waits["lock"] > 0.7, waits


# What the kernel refuses, and how waits are seen then. Of a process that gives up its rights the
# collector sees nothing if it is not allowed to trace processes of other users.
HIDDEN = {
    "undumpable": ([], ["undumpable"], AS_NOBODY),
    "seccomp": (["{built}/deny"], [], AS_NOBODY),
    "other user": ([], ["nobody"], ["setpriv", "--bounding-set=-sys_ptrace"]),
    "no /proc": ([], [], NO_PROC),
}
# By tag: the kind of wait, and whether the process is idle in it. Who holds the lock waits, too, by a
# lock of its own: then the main thread answers for the idle time.
KINDS = {"sleep": ("sleep", True), "pipe": ("io", True), "poll": ("poll", True),
         "lock": ("lock", True), "child": ("child", True)}


@pytest.mark.parametrize("access", HIDDEN)
def test_waits_of_a_hidden_process_are_on_their_lines(built, access):
    before, arguments, as_user = HIDDEN[access]
    if access == "other user" and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    if access == "no /proc":
        skip_without_namespaces()
    result, profile = run_guarded(built, before, "hidden.py", *arguments, as_user=as_user)
    assert result.status == 0, result.stderr
    assert profile["scalene"]["processes"][0]["waits_seen"] == "inside"
    waited, idle = json.loads(result.stdout), tagged(profile, "idle_seconds", "hidden.py")
    lines, tags = harness.lines(profile, "hidden.py"), source.tags(FOLDER / "hidden.py")
    seen = {tags[n]: line["waits"] for n, line in lines.items() if n in tags}
    for tag, (kind, is_idle) in KINDS.items():
        assert max(seen[tag], key=seen[tag].get) == kind, f"{tag}: {seen[tag]}"
        # Its own clock has more in it where the machine is busy, and less never.
        assert 0.24 < seen[tag][kind] <= waited[tag] + 0.01, f"{tag}: {seen[tag]}"
        assert (idle.get(tag, 0) > 0.2) is is_idle, f"{tag}: {idle}"
    # Charged to the wrong line it would be a quarter of a second. Moments of a busy machine, when the thread that
    # is waited for has no CPU, look idle from inside.
    assert idle.get("queue", 0) < 0.12 and idle.get("parked", 0) < 0.12, idle
    assert seen["queue"]["lock"] > 0.2 and seen["parked"]["lock"] > 1.2
