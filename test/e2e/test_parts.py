# SPDX-License-Identifier: Apache-2.0
"""Whose time it was, and when: threads add up to their process, processes to the whole, line by line."""
import collections
import json

import jsonschema
import pytest
from harness import PROGRAMS, ROOT

SCHEMA = json.loads((ROOT / "schema/profile.schema.json").read_text())
KINDS = ["python", "native", "system", "idle"]
UNIT_S = 0.25


def rows(profile, part):
    """The cells of a part: path, line, function's line, stack, slice, kind, seconds."""
    timeline = profile["scalene"]["timeline"]
    for moment, site, kind, us, _ in part["cells"]:
        file, line, function, stack = timeline["sites"][site]
        yield timeline["files"][file], line, function, stack, moment, KINDS[kind], us / 1e6


def spent(profile, part, wanted=lambda row: True):
    """CPU seconds of those cells of a part."""
    return sum(row[-1] for row in rows(profile, part) if row[-2] != "idle" and wanted(row))


def check_sums(profile):
    """Nothing is lost and nothing is made, by line and kind, by stack, by process and by thread."""
    jsonschema.Draft202012Validator(SCHEMA).validate(profile)
    run, parts = profile["scalene"], profile["scalene"]["timeline"]["parts"]
    lines = collections.Counter()
    stacks = collections.Counter()
    n_cells = sum(len(part["cells"]) for part in parts)
    for part in parts:
        for path, line, _, stack, _, kind, seconds in rows(profile, part):
            lines[path, line, kind] += seconds
            stacks[stack] += seconds
    near = {"abs": 1e-6 * (n_cells + 10)}
    for path, file in profile["files"].items():
        for line in file["lines"]:
            got = [lines[path, line["lineno"], kind] for kind in KINDS]
            known = [line[f"cpu_seconds_{kind}"] for kind in KINDS[:3]] + [line["idle_seconds"]]
            known[2] -= known[3]
            assert got == pytest.approx(known, **near), (path, line["lineno"])
    total = sum(run[f"cpu_seconds_{kind}"] for kind in KINDS[:3])
    assert sum(lines.values()) == pytest.approx(total, **near)
    for (_, cost), seconds in zip(profile["stacks"], [stacks[i] for i in range(len(profile["stacks"]))]):
        assert seconds == pytest.approx(cost["cpu_samples"] * total, abs=1e-6 * (n_cells + total + 10))
    check_owners(profile, near)


def check_owners(profile, near):
    run, parts = profile["scalene"], profile["scalene"]["timeline"]["parts"]
    for number, process in enumerate(run["processes"]):
        own = [part for part in parts if part["process"] == number]
        assert sum(part["cpu_seconds"] for part in own) == pytest.approx(process["cpu_seconds"], **near)
        assert sum(spent(profile, part) for part in own) == \
            pytest.approx(process["cpu_seconds"] - process["outside_seconds"], **near)
        idle = sum(row[-1] for part in own for row in rows(profile, part) if row[-2] == "idle")
        assert idle == pytest.approx(process["idle_seconds"] - process["outside_idle_seconds"], **near)
        for thread in process["threads"]:
            assert parts[thread["part"]]["process"] == number


def line_of(program, text):
    return next(i for i, line in enumerate(program.read_text().splitlines(), 1) if text in line)


@pytest.mark.on("3.8", "3.12", "3.14")
def test_each_thread_has_its_lines_and_its_moments(scalene, interpreter):
    program = PROGRAMS / "parts/threads.py"
    profile = scalene.run(program, UNIT_S, interpreter=interpreter).profile
    check_sums(profile)
    parts = {part["name"]: part for part in profile["scalene"]["timeline"]["parts"]}
    loop, squeeze = (line_of(program, f"def {name}") for name in ("loop", "squeeze"))
    moments = []
    for name, function, seconds in [("first", loop, 2 * UNIT_S), ("second", squeeze, UNIT_S), ("third", loop, UNIT_S)]:
        part = parts[name]
        # The thread stops itself by its own clock.
        assert part["cpu_seconds"] == pytest.approx(seconds, rel=0.1)
        assert spent(profile, part, lambda row: row[2] == function) > 0.9 * part["cpu_seconds"]
        when = [row[4] for row in rows(profile, part)]
        moments.append((min(when), max(when)))
    assert moments[0][1] <= moments[1][0] + 1 and moments[1][1] <= moments[2][0] + 1, moments
    for thread in profile["scalene"]["processes"][0]["threads"]:
        check_waits(parts[thread["name"]], thread)


def check_waits(part, thread):
    """What a thread waited on lines is part of what it waited in all; nap() is the only one that sleeps."""
    waits = collections.Counter()
    for _, kind, us in part["waits"]:
        waits[kind] += us / 1e6
    for kind, seconds in waits.items():
        assert seconds <= thread["waits"][kind] + 1e-5 * len(part["waits"])
    assert "sleep" not in waits or thread["name"] == "nap"


@pytest.mark.on("3.8", "3.12", "3.14")
def test_forked_processes_are_told_apart_though_their_threads_have_the_same_number(scalene, interpreter):
    program = PROGRAMS / "parts/forks.py"
    result = scalene.run(program, UNIT_S, interpreter=interpreter)
    pids = {line.split()[0]: int(line.split()[1]) for line in result.stdout.splitlines()}
    profile = result.profile
    check_sums(profile)
    processes = profile["scalene"]["processes"]
    assert len({thread["ident"] for process in processes for thread in process["threads"] if thread["main"]}) == 1
    functions = [[frame["display_name"] for frame in frames] for frames, _ in profile["combined_stacks"]]
    for name, seconds in [("parent", UNIT_S), ("child", 2 * UNIT_S), ("grandchild", UNIT_S)]:
        number = [process["pid"] for process in processes].index(pids[name])
        own = [part for part in profile["scalene"]["timeline"]["parts"] if part["process"] == number]
        worked = sum(spent(profile, part, lambda row: f"{name}_work" in functions[row[3]]) for part in own)
        assert worked == pytest.approx(seconds, rel=0.15)


@pytest.mark.on("3.12")
def test_a_thousand_threads_stay_a_small_file(scalene, interpreter, tmp_path):
    program = tmp_path / "many.py"
    program.write_text("""
import threading
def work():
    for i in range(20000): pass
for _ in range(10):
    threads = [threading.Thread(target=work) for _ in range(100)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
""")
    profile = scalene.run(program, interpreter=interpreter).profile
    check_sums(profile)
    timeline = profile["scalene"]["timeline"]
    assert sum(part["threads"] for part in timeline["parts"]) == 1001
    assert len(json.dumps(timeline)) < 500_000


@pytest.mark.on("3.12")
def test_without_stacks_lines_are_still_told_by_thread(scalene, interpreter):
    profile = scalene.run(PROGRAMS / "parts/threads.py", 0.1, interpreter=interpreter, options=["--no-stacks"]).profile
    jsonschema.Draft202012Validator(SCHEMA).validate(profile)
    timeline = profile["scalene"]["timeline"]
    assert all(stack is None for *_, stack in timeline["sites"])
    assert sum(len(part["cells"]) for part in timeline["parts"]) > 10


@pytest.mark.on("3.12")
@pytest.mark.sees("view thread", "view process")
def test_terminal_shows_a_thread_or_a_process_alone(scalene, interpreter):
    program = PROGRAMS / "parts/threads.py"
    path = scalene.run(program, 0.2, interpreter=interpreter).profile_path
    thread = scalene("view", "--cli", "--reduced", "--color", "never", "--thread", "second", path)
    assert thread.status == 0 and "only thread second" in thread.stdout
    assert "zlib.compress(TEXT, 9)" in thread.stdout and "total += i * i" not in thread.stdout
    part = next(p for p in json.loads(path.read_text())["scalene"]["timeline"]["parts"] if p["name"] == "second")
    assert f"{sum(row[3] for row in part['cells'])/1000:.0f} ms" in thread.stdout
    for wrong in (["--thread", "nobody"], ["--process", "1"]):
        result = scalene("view", "--cli", *wrong, path)
        assert result.status != 0 and "There is no" in result.stderr and not result.stdout
    assert "Processes" in scalene("view", "--thread", "second", path).stderr
