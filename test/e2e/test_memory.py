# SPDX-License-Identifier: Apache-2.0
"""Memory, peaks, copies and leaks of programs whose memory is known, on short runs.

`make memory` looks at the whole suite of leaks, and for longer.
"""
import json
import pathlib
import sys

import jsonschema
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from harness import ROOT  # noqa: E402
from lib import memory_checks as checks  # noqa: E402  (found by the line above)

ONE = "3.12"


def passes(measures):
    wrong = [str(measure) for measure in measures if not measure.is_ok]
    assert measures and not wrong, "\n".join(wrong)


def test_volume_live_bytes_and_python_fraction(interpreter):
    passes(checks.check_lines(interpreter, "volumes.py"))


def test_copies_are_seen_and_views_are_none(interpreter):
    passes(checks.check_lines(interpreter, "copies.py"))


@pytest.mark.on(ONE)
def test_allocations_are_counted(interpreter):
    passes(checks.check_lines(interpreter, "counts.py"))


@pytest.mark.on(ONE)
def test_memory_that_is_asked_for_is_told_from_what_is_touched(interpreter):
    passes(checks.check_lines(interpreter, "touched.py", "25"))


@pytest.mark.on(ONE)
@pytest.mark.parametrize("name", checks.PEAKS)
def test_peak_and_the_lines_that_made_it(name, interpreter):
    passes(checks.check_lines(interpreter, "peaks.py", name))


@pytest.mark.on(ONE)
@pytest.mark.parametrize("name", ("list", "native", "warm_up", "ring"))
def test_leaks_are_told_from_what_is_none(name, interpreter):
    passes(checks.check_leak(interpreter, checks.BASIC, name, 4))


@pytest.mark.on(ONE)
def test_profile_with_memory_is_valid_and_adds_up(interpreter):
    profile, _ = checks.profile_of(interpreter, "volumes.py")
    schema = json.loads((ROOT / "schema/profile.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(profile)
    memory = profile["scalene"]["memory"]
    lines = [line for file in profile["files"].values() for line in file["lines"]]
    allocated = sum(line["n_malloc_mb"] for line in lines) + profile["native_allocations_mb"]
    exact = memory["exact"]["python_mb"] + memory["exact"]["native_mb"]
    assert profile["memory"] and allocated == pytest.approx(memory["allocated_mb"], rel=0.001)
    assert allocated == pytest.approx(exact, rel=0.1)  # a realloc counts only its growth
    at_peak = sum(line["n_at_peak_mb"] for line in lines) + memory["outside_at_peak_mb"]
    assert at_peak == pytest.approx(profile["max_footprint_mb"], rel=0.001)
    assert memory["resident_peak_mb"] > 0.9 * profile["max_footprint_mb"]


@pytest.mark.on(ONE)
def test_children_have_their_own_heaps(scalene, interpreter, tmp_path):
    program = tmp_path / "family.py"
    program.write_text(
        "import os, time\n"
        "kept = bytearray(50 << 20)\n"
        "if os.fork() == 0:\n"
        "    more = bytearray(30 << 20)\n"
        "    time.sleep(0.5)\n"
        "    del kept, more\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "time.sleep(0.2)\n")
    profile = scalene.run(program, interpreter=interpreter, options=["--memory"]).profile
    lines = {line["lineno"]: line for line in profile["files"][str(program)]["lines"]}
    assert lines[2]["n_live_mb"] == pytest.approx(50, rel=0.02)
    assert lines[4]["n_malloc_mb"] == pytest.approx(30, rel=0.02)
    assert profile["max_footprint_mb"] == pytest.approx(80, rel=0.02)


@pytest.mark.on(ONE)
def test_memory_of_short_children_is_not_counted_beside_what_came_before(scalene, interpreter, tmp_path):
    program = tmp_path / "short.py"
    program.write_text(
        "import os\n"
        "for _ in range(10):\n"
        "    mine = bytearray(40 << 20)\n"
        "    del mine\n"
        "    if os.fork() == 0:\n"
        "        theirs = bytearray(30 << 20)\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
        "    again = bytearray(35 << 20)\n"
        "    del again\n")
    profile = scalene.run(program, interpreter=interpreter, options=["--memory"]).profile
    lines = {line["lineno"]: line for line in profile["files"][str(program)]["lines"]}
    assert lines[6]["n_malloc_mb"] == pytest.approx(300, rel=0.02)
    assert profile["max_footprint_mb"] == pytest.approx(40, rel=0.02)


@pytest.mark.on(ONE)
@pytest.mark.parametrize("options, is_measured", (
    ([], True), (["--memory"], True), (["--memory-leak-detector"], True), (["--gpu", "--memory"], True),
    (["--cpu-only"], False), (["--gpu"], False)))
def test_memory_is_measured_unless_something_else_is_asked_for(scalene, interpreter, options, is_measured):
    profile = scalene.run("-c", "x = bytearray(50 << 20)", interpreter=interpreter, options=options).profile
    assert profile["memory"] == is_measured
    assert (profile["max_footprint_mb"] > 49) == is_measured


@pytest.mark.on(ONE)
def test_the_sampling_window_is_that_of_the_option(scalene, interpreter):
    code = "for _ in range(200000): bytes(500)"
    profile = scalene.run("-c", code, interpreter=interpreter,
                          options=["--allocation-sampling-window", "1000000"]).profile
    memory = profile["scalene"]["memory"]
    assert memory["mean_asked_bytes"] == memory["mean_least_bytes"] == 1000000
    assert memory["samples"] < 300


@pytest.mark.on("3.8", ONE, "3.13")
def test_what_became_of_memory_is_told(scalene, interpreter, tmp_path):
    program = tmp_path / "lives.py"
    program.write_text(
        "import time\n"
        "kept = bytearray(30 << 20)\n"
        "for _ in range(30):\n"
        "    buffer = bytearray(1 << 20)\n"
        "    time.sleep(0.003)\n"
        "later = bytearray(40 << 20)\n"
        "time.sleep(0.01)\n"
        "del later\n")
    profile = scalene.run(program, interpreter=interpreter).profile
    lives = {line["lineno"]: line["lifetimes"] for line in profile["files"][str(program)]["lines"]}
    assert lives[2]["kept_mb"] == pytest.approx(30, rel=0.01)
    assert lives[4]["same_line_mb"] == pytest.approx(29, rel=0.01)
    assert lives[4]["kept_mb"] == pytest.approx(1, rel=0.1)
    assert lives[6]["freed_mb"] == pytest.approx(40, rel=0.01)
    assert lives[6]["same_line_mb"] < 0.1 and lives[6]["at_once_mb"] < 0.1


@pytest.mark.on(ONE)
def test_memory_that_processes_share_is_counted_once(scalene, interpreter, tmp_path):
    program = tmp_path / "shared.py"
    program.write_text(
        "import os, time\n"
        "data = bytearray(80 << 20)\n"
        "children = [os.fork() for _ in range(1)]\n"
        "end = time.monotonic() + 2.5\n"
        "while time.monotonic() < end:\n"
        "    sum(range(2000))\n"  # a child without work has no samples, and is not looked at
        "    time.sleep(0.01)\n"
        "if children == [0]:\n"
        "    os._exit(0)\n"
        "os.wait()\n")
    memory = scalene.run(program, interpreter=interpreter).profile["scalene"]["memory"]
    assert memory["resident_peak_mb"] > 160
    assert 80 < memory["pss_peak_mb"] < 0.8 * memory["resident_peak_mb"]
    assert memory["pss"]


@pytest.mark.on(ONE)
def test_nothing_is_said_of_memory_that_was_not_measured(scalene, interpreter):
    profile = scalene.run("--cpu-only", "-c", "x = bytearray(50 << 20)", interpreter=interpreter).profile
    assert not profile["memory"] and profile["scalene"]["memory"] is None
    assert profile["max_footprint_mb"] == 0 and profile["samples"] == []
    process = profile["scalene"]["processes"][0]["memory"]
    assert process["resident_peak_mb"] > 50 and process["pss_peak_mb"] == 0, "known by the process itself, not by looks"
