# SPDX-License-Identifier: Apache-2.0
"""The checks of waits, idle time and the GIL on short runs of programs that account for theirs.

Bounds are widened for the few looks of a short run and for the time the program had no CPU, which
it tells itself; `make waits` asks for the full precision.
"""
import json
import pathlib
import sys
from dataclasses import replace

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from lib import run, source, wait_checks  # noqa: E402  (found by the line above)
from lib.profile import Profile  # noqa: E402

DOUBT = 5.0
SECONDS = 1.2
# What rests on the interpreter's memory is looked at on all of them; what rests on the kernel alone
# on one.
EVERYWHERE = ("long sleep (C6)", "two for the GIL (C8)", "queues", "threads of C code (C14)")
ONE = "3.12"
BY_NAME = {check.name: check for check in wait_checks.CHECKS}


def perform(name, interpreter):
    check = replace(BY_NAME[name], seconds=SECONDS)
    runs = [run.run(interpreter, check.program, variant, check.seconds, DOUBT)
            for variant in check.variants]
    wrong = [measure for measure in check.judge(runs) if not measure.is_ok]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("name", EVERYWHERE)
def test_waits_are_what_the_program_says(name, interpreter):
    perform(name, interpreter)


@pytest.mark.on(ONE)
@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in EVERYWHERE])
def test_waits_of_this_kind_are_what_the_program_says(name, interpreter):
    perform(name, interpreter)


@pytest.mark.on(ONE)
def test_program_of_a_moment_has_a_profile_and_keeps_its_status(scalene, interpreter):
    result = scalene.run("-c", "raise SystemExit(5)", interpreter=interpreter)
    assert result.status == 5
    assert "did not run for long enough" in result.stderr
    assert result.profile["scalene"]["samples"] < 10


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
