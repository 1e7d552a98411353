# SPDX-License-Identifier: Apache-2.0
"""Waits, idle time and the GIL: what holds on a loaded machine, too. `make waits` asks for precision."""
import json
import pathlib
import sys

import harness
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from lib import run, source, wait_checks  # noqa: E402  (found by the line above)
from lib.profile import Profile  # noqa: E402

PLAIN = wait_checks.FOLDER / "plain.py"
ONE = "3.12"


def function_seconds(profile, program, names):
    """CPU seconds of the functions of these names."""
    (file,) = (f for name, f in profile["files"].items() if name.endswith(program))
    seconds = dict.fromkeys(names, 0.0)
    for function in file["functions"]:
        if function["line"] in seconds:
            seconds[function["line"]] += sum(function[f"cpu_seconds_{kind}"] for kind in
                                             ("python", "native", "system")) - function["idle_seconds"]
    return seconds


def by_tag(profile):
    """The lines of plain.py by their tags."""
    at = {number: tag for number, tag in source.tags(PLAIN).items()}
    lines = next(f for name, f in profile["files"].items() if name.endswith("plain.py"))["lines"]
    return {at[line["lineno"]]: line for line in lines if line["lineno"] in at}


def test_waits_are_on_their_lines(scalene, interpreter):
    """What a loaded machine cannot change: the kinds, the lines, and time the program slept itself."""
    result = scalene.run(PLAIN, interpreter=interpreter)
    slept = json.loads(result.stdout)["slept"]
    lines, facts = by_tag(result.profile), result.profile["scalene"]
    nap = lines["nap"]
    assert max(nap["waits"], key=nap["waits"].get) == "sleep"
    assert 0.8 * slept < nap["waits"]["sleep"] < 1.15 * slept
    assert nap["idle_seconds"] > 0.7 * slept
    assert lines["work"]["idle_seconds"] < 0.2 and lines["first"]["idle_seconds"] < 0.2
    assert set(lines["join"]["waits"]) <= {"lock", "gil", "starved"}
    sides = {number: tag for tag in ("first", "second")
             for number in range(lines[tag]["lineno"] - 4, lines[tag]["lineno"] + 1)}
    fought = sum(pair["seconds"] for pair in facts["gil"] if pair["waiter"] and pair["holder"]
                 and {sides.get(pair["waiter"]["line"]), sides.get(pair["holder"]["line"])}
                 == {"first", "second"})
    assert fought > 0.1


@pytest.mark.on(ONE)
def test_program_of_a_moment_has_a_profile_and_keeps_its_status(scalene, interpreter):
    result = scalene.run("-c", "raise SystemExit(5)", interpreter=interpreter)
    assert result.status == 5
    assert "did not run for long enough" in result.stderr
    assert result.profile["scalene"]["samples"] < 10


REPLACED = """
import os, time
pid = os.fork()
if pid == 0:
    while time.process_time() < 0.15:
        pass
    os.execvp("sleep", ["sleep", "1"])  # child
os.waitpid(pid, 0)  # parent
"""


@pytest.mark.on("3.8", "3.12", "3.15")
def test_program_that_takes_the_place_of_python_is_not_measured_as_python(scalene, interpreter, tmp_path):
    program = tmp_path / "replaced.py"
    program.write_text(REPLACED)
    result = scalene.run(program, interpreter=interpreter)
    (file,) = (f for name, f in result.profile["files"].items() if name.endswith("replaced.py"))
    idle = {line["line"].rpartition("# ")[2].strip(): line["idle_seconds"] for line in file["lines"]}
    assert idle["parent"] > 0.9
    assert sum(idle.values()) - idle["parent"] < 0.3, idle
    child = result.profile["scalene"]["processes"][1]
    assert child["samples"] > 0 and child["idle_seconds"] < 0.3


NAMES = """
import _thread, threading, time
asked = []
def work():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.01:
        pass
class Own(threading.Thread):
    def run(self):
        work()
class Odd(Own):
    @property
    def _name(self):
        asked.append(1)
        return "odd"
    @_name.setter
    def _name(self, name):
        pass
for thread in (threading.Thread(target=work, name="plain"), Own(name="\u00e9 \u20ac \U0001f40d"),
               threading.Thread(target=work, name="long " * 100), Odd(name="odd")):
    thread.start()
    thread.join()
done = threading.Event()
_thread.start_new_thread(lambda: (work(), done.set()), ())
done.wait()
print(len(asked))
"""


def test_threads_are_called_as_python_calls_them(scalene, interpreter, tmp_path):
    program = tmp_path / "names.py"
    program.write_text(NAMES)
    result = scalene.run(program, interpreter=interpreter)
    assert result.status == 0, result.stderr
    # The program's own code is not run to learn a name.
    assert result.stdout == harness.bare(interpreter, program).stdout
    (process,) = result.profile["scalene"]["processes"]
    names = [thread["name"] for thread in process["threads"]]
    assert names[:3] == ["MainThread", "plain", "\u00e9 \u20ac \U0001f40d"]
    assert len(names[3]) > 40 and ("long " * 100).startswith(names[3])
    # The kernel's name for those that have none, or whose name only their own code can tell; from
    # 3.14 on Python tells the kernel.
    assert all(name.startswith(("python", "odd")) for name in names[4:]), names


@pytest.mark.on("3.8", "3.12", "3.14")
def test_time_of_threads_too_short_to_be_sampled_is_that_of_their_functions(scalene, interpreter):
    result = scalene.run(wait_checks.FOLDER / "brief_threads.py", interpreter=interpreter)
    assert result.status == 0, result.stderr
    spent = json.loads(result.stdout)
    told = function_seconds(result.profile, "brief_threads.py", spent)
    assert told["left"] and told["right"], "not a single thread was met by a tick"
    # Their clocks are exact; what some samples find outside of the functions is Python's own start
    # and end of a thread.
    for name, seconds in spent.items():
        assert told[name] == pytest.approx(seconds, rel=0.25), f"{told}, not {spent}"
    facts = result.profile["scalene"]
    assert harness.cpu_seconds(result.profile) == pytest.approx(
        harness.thread_seconds(result.profile), rel=0.02), facts["outside_seconds"]


@pytest.mark.on("3.8", "3.12", "3.14")
def test_time_of_a_thousand_short_threads_is_all_there_and_told_apart(scalene, interpreter):
    result = scalene.run(wait_checks.FOLDER / "short_kinds.py", interpreter=interpreter)
    assert result.status == 0, result.stderr
    own = json.loads(result.stdout)
    (process,) = result.profile["scalene"]["processes"]
    # The beginning and the end of a thread, where no sample can be taken, are a fortieth of it. What
    # the profile has beside that are the start and the end of the program.
    told = process["cpu_seconds"]
    assert 0.99 * own["cpu"] < told < 1.01 * process["total_cpu_seconds"], f"{told}, not {own}"
    seconds = function_seconds(result.profile, "short_kinds.py", own["spent"])
    seen, true = (spent["often"] / sum(spent.values()) for spent in (seconds, own["spent"]))
    assert seen == pytest.approx(true, abs=0.03), f"{seconds}, not {own}"


# ---- the checks themselves: made-up profiles, right ones and wrong ones, are told apart ----

TRUTH = {"wall": 4.0, "cpu": 1.0, "starved": 0.0, "spent": {}, "threads": {},
         "idle": {"short": 1.0, "long": 2.0},
         "waits": {"short": {"sleep": 1.0}, "long": {"sleep": 2.0}}}


def line(number, cpu=0.0, idle=0.0, kind="sleep", waited=None):
    waits = {kind: idle if waited is None else waited}
    return {"lineno": number, "cpu_seconds_python": cpu, "cpu_seconds_native": 0.0,
            "cpu_seconds_system": idle, "idle_seconds": idle, "waits": waits,
            "n_cpu_percent_python": 25 * cpu, "n_cpu_percent_c": 0, "n_sys_percent": 25 * idle}


def made_up(tmp_path, short, long, cpu=1.0):
    """A run of sleeps.py with a profile that tells this of its two sleeps."""
    program = wait_checks.FOLDER / "sleeps.py"
    at = {tag: number for number, tag in source.tags(program).items()}
    lines = [line(1, cpu), line(at["short"], **short), line(at["long"], **long)]
    path = tmp_path / "profile.json"
    path.write_text(json.dumps({"files": {str(program): {"lines": lines}}}))
    return run.Run(run.Variant(), program, TRUTH, Profile(path), doubt=0.0)


@pytest.mark.parametrize("short, long, verdict", [
    (dict(idle=1.0), dict(idle=2.0), True),
    (dict(idle=1.05), dict(idle=1.95), True),
    (dict(idle=1.2), dict(idle=1.8), False),
    (dict(idle=0.0, waited=1.0), dict(idle=3.0, waited=2.0), False),
    (dict(idle=1.0, waited=0.7), dict(idle=2.0), False),
    (dict(idle=1.0, kind="poll"), dict(idle=2.0), False),
    (dict(idle=1.3), dict(idle=2.6), False),
], ids=["right", "nearly", "moved", "on one line", "short waits", "wrong kind", "too long"])
def test_wrong_accounts_are_refused(tmp_path, short, long, verdict):
    made = made_up(tmp_path, short, long)
    assert all(measure.is_ok for measure in wait_checks.ACCOUNT([made])) is verdict


def test_line_that_should_cost_nothing_is_refused_when_it_does(tmp_path):
    made = made_up(tmp_path, dict(idle=1.0), dict(idle=2.0))
    measures = wait_checks.free("short", "none")([made])
    verdicts = {m.what: m.is_ok for m in measures[-2:]}
    assert verdicts == {"short costs %": False, "none costs %": True}
