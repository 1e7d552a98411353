# SPDX-License-Identifier: Apache-2.0
"""Real profiles are what schema/profile.schema.json says, and their sums are right."""
import json

import jsonschema
import pytest
from harness import ROOT, cpu_seconds, lines, thread_seconds

SCHEMA = json.loads((ROOT / "schema/profile.schema.json").read_text())
PROGRAM = ROOT / "example/demo.py"
# Its lines are told apart by number: a sleep of a second, a child, a worker that is parked meanwhile. It tells
# how long all that took, which on a busy machine is more.
WAITING = """
import queue, subprocess, threading, time
jobs, begin = queue.Queue(), time.monotonic()
worker = threading.Thread(target=lambda: jobs.get())
worker.start()
time.sleep(1)
subprocess.run(["sleep", "0.5"])
jobs.put(None)
worker.join()
print(time.monotonic() - begin)
"""
SLEEP, CHILD, WORKER = 6, 7, 4


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("example", sorted((ROOT / "schema").glob("examples/*.json")), ids=lambda p: p.name)
def test_example_is_valid(example):
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(example.read_text()))


def test_schema_refuses_a_damaged_profile():
    example = json.loads(sorted((ROOT / "schema").glob("examples/*.json"))[0].read_text())
    example["files"] = 5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(example)


def test_real_profile_is_valid(scalene, interpreter):
    profile = scalene.run(PROGRAM, interpreter=interpreter).profile
    jsonschema.Draft202012Validator(SCHEMA).validate(profile)
    assert_sums(profile)
    assert profile["scalene"]["interpreter"]["version"].startswith(interpreter.id.split("-")[0])


def test_empty_program_is_valid(scalene, interpreter, tmp_path):
    profile = scalene.run("-c", "", interpreter=interpreter).profile
    jsonschema.Draft202012Validator(SCHEMA).validate(profile)


@pytest.fixture
def waiting(tmp_path):
    program = tmp_path / "waiting.py"
    program.write_text(WAITING)
    return program


def test_waits_are_on_their_lines_and_idle_time_is_system_time(scalene, interpreter, waiting):
    result = scalene.run(waiting, interpreter=interpreter)
    profile, took = result.profile, float(result.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(profile)
    assert_sums(profile)
    found = lines(profile, "waiting.py")
    assert profile["scalene"]["waits_seen"] == "outside"
    assert found[SLEEP]["idle_seconds"] == pytest.approx(1, abs=0.2)
    assert found[SLEEP]["n_sys_percent"] + found[CHILD]["n_sys_percent"] > 80
    assert 0.3 < found[CHILD]["waits"]["child"] < took - 0.8
    assert found[WORKER]["waits"]["lock"] == pytest.approx(took, abs=0.3)
    assert found[WORKER]["idle_seconds"] == 0


@pytest.mark.on("3.12")
def test_virtual_time_has_no_waits(scalene, interpreter, waiting):
    profile = scalene.run(waiting, interpreter=interpreter, options=["--use-virtual-time"]).profile
    jsonschema.Draft202012Validator(SCHEMA).validate(profile)
    facts = profile["scalene"]
    assert (facts["waits_seen"], facts["waits"], facts["idle_seconds"]) == ("not", {}, 0)


def assert_sums(profile):
    """The lines of all files are 100%; every second of the threads is charged to something."""
    percent = sum(line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]
                  for file in profile["files"].values() for line in file["lines"])
    assert percent == pytest.approx(100, abs=2)
    assert cpu_seconds(profile) == pytest.approx(thread_seconds(profile), rel=0.01, abs=0.001)
