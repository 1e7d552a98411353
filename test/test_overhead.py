# SPDX-License-Identifier: Apache-2.0
"""The reckoning of the overhead suite: ratios, verdicts, counts, and that no process is missed."""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
from lib import counter, document, meter  # noqa: E402  (found by the line above)
from lib.ratios import BROKEN, KEPT, UNDECIDED, Bound, judge, judge_apart, paired  # noqa: E402
from lib.results import Results, Run  # noqa: E402
from lib.tools import BARE  # noqa: E402

MEDIAN = Bound("scalene", ("some",), "wall", False, 1.01)
WORST = Bound("scalene", ("some",), "wall", True, 1.03)
CPU = Bound("scalene", ("some",), "CPU", True, 1.03)
QUIET = {"a": 1.001, "b": 0.999, "c": 1.002}
LOUD = {"a": 1.05, "b": 0.90, "c": 1.06}
LOUD_BOTH_WAYS = {"a": 0.63, "b": 1.001, "c": 1.10}
COSTLY = {"a": 1.02, "b": 1.02, "c": 1.10}
CHEAP = {"a": 1.004, "b": 1.005, "c": 1.02}


def test_ratio_is_taken_within_a_round():
    ratio = paired([2.2, 4.4, 1.1], [2.0, 4.0, 1.0])
    assert ratio.median == ratio.low == ratio.high == pytest.approx(1.1)
    assert ratio.of_minima == pytest.approx(1.1)


@pytest.mark.parametrize(
    "bound, ratios, noise, instructions, known, outcome",
    [
        (MEDIAN, CHEAP, QUIET, {}, {}, KEPT),
        (MEDIAN, COSTLY, QUIET, {}, {}, BROKEN),
        (MEDIAN, CHEAP, LOUD_BOTH_WAYS, {}, {}, UNDECIDED),
        (WORST, CHEAP, QUIET, {}, {}, KEPT),
        (WORST, COSTLY, QUIET, {}, {}, BROKEN),
        (WORST, COSTLY, LOUD, {}, {}, UNDECIDED),
        (WORST, CHEAP, LOUD, {}, {}, UNDECIDED),
        (WORST, {"a": 1.3}, LOUD, {}, {}, BROKEN),
        (WORST, COSTLY, LOUD, CHEAP, {}, KEPT),
        (WORST, CHEAP, LOUD, COSTLY, {}, UNDECIDED),
        (CPU, CHEAP, LOUD, COSTLY, {}, BROKEN),
        (CPU, CHEAP, LOUD, {}, COSTLY, BROKEN),
        (CPU, CHEAP, LOUD, {}, CHEAP, UNDECIDED),
        (WORST, CHEAP, LOUD, {}, COSTLY, UNDECIDED),
    ],
)
def test_bound_is_judged_only_as_far_as_the_noise_allows(
    bound, ratios, noise, instructions, known, outcome
):
    assert judge(bound, ratios, noise, instructions, known, {}, {}).outcome == outcome


@pytest.mark.parametrize(
    "bound, ratios, noise, outcome",
    [
        (MEDIAN, CHEAP, QUIET, KEPT),
        (MEDIAN, COSTLY, QUIET, BROKEN),
        (MEDIAN, COSTLY, LOUD, UNDECIDED),
        (WORST, CHEAP, LOUD, KEPT),
        (WORST, COSTLY, QUIET, BROKEN),
        (WORST, COSTLY, LOUD, UNDECIDED),
    ],
)
def test_bound_that_is_missed_by_the_noise_is_not_decided(bound, ratios, noise, outcome):
    assert judge_apart(bound, ratios, noise, "").outcome == outcome


@pytest.mark.parametrize(
    "bound, least, noise, outcome",
    [
        (WORST, CHEAP, QUIET, KEPT),
        (WORST, COSTLY, QUIET, UNDECIDED),
        (CPU, COSTLY, QUIET, BROKEN),
        (CPU, CHEAP, LOUD, UNDECIDED),
    ],
)
def test_least_cpu_time_judges_where_the_clock_cannot(bound, least, noise, outcome):
    assert judge(bound, CHEAP, LOUD, {}, {}, least, noise).outcome == outcome


def test_tool_of_fewer_rounds_is_compared_with_those():
    results = Results(groups={"a": "some", "b": "other"})
    bare = [Run(wall, 1.0, 1.0, 1.0) for wall in (1.0, 2.0, 4.0)]
    peer = [Run(wall, 1.0, 1.0, 1.0) for wall in (1.5, 3.0)]
    results.runs = {"a": {BARE: bare, "peer": peer}, "b": {BARE: bare}}
    assert results.medians("wall", "peer") == {"a": pytest.approx(1.5)}
    assert results.medians("wall", "peer", ("other",)) == {}


def test_count_of_instructions_is_read():
    assert counter.parse("# started\n\n12345,,instructions:u,100,100.00,,\n") == 12345
    assert counter.parse("<not supported>,,instructions:u,0,100.00,,\n") is None


def test_document_keeps_what_other_commands_wrote(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Title\n")
    document.update(page, "one", "first")
    document.update(page, "two", "second")
    document.update(page, "one", "third")
    text = page.read_text()
    assert text.startswith("# Title\n") and "first" not in text
    assert text.index("third") < text.index("second")
    document.update(page, "one", "third")
    assert page.read_text() == text


def test_meter_counts_processes_nobody_waited_for():
    # The child outlives its parent, which ends once the child has burnt its CPU time.
    burn = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True)\ntime.sleep(60)"
    script = "import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', sys.argv[1]], " \
        "stdout=subprocess.PIPE)\np.stdout.read(1)"
    usage = meter.measure([sys.executable, "-c", script, burn], dict(os.environ), 60)
    assert usage.status == 0 and usage.cpu_s >= 0.5, usage


def test_meter_ends_what_runs_too_long():
    usage = meter.measure([sys.executable, "-c", "import time; time.sleep(60)"],
                          dict(os.environ), 1)
    assert usage.status == -9 and usage.wall_s < 30
