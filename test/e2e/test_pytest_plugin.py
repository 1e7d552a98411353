# SPDX-License-Identifier: Apache-2.0
"""pytest --scalene: tests are measured one by one, limits hold, and without the option nothing changes."""
import os
import re
import sys

import pytest
from harness import ROOT, execute

SUITE = """\
import pytest
import work

def test_spins():
    assert work.spin(1_500_000) > 0

def test_is_cheap():
    pass

@pytest.mark.scalene_limit(memory_mb=20)
def test_holds_too_much():
    assert work.hold(40)

@pytest.mark.scalene_limit(memory_mb=80, copy_mb=80, cpu_seconds=600)
def test_holds_little_enough():
    assert work.hold(40)

@pytest.mark.scalene_limit(copy_mb=10)
def test_copies_too_much():
    assert work.copy(30)

@pytest.mark.scalene_limit(cpu_seconds=0.01)
def test_spins_too_long():
    assert work.spin(1_500_000) > 0

@pytest.mark.scalene_limit(memory_gb=1)
def test_has_a_mistyped_mark():
    pass

def test_fails_by_itself():
    assert work.spin(10) == 0
"""
WORK = """\
def spin(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total

def hold(megabytes):
    return [bytes(1 << 20) for _ in range(megabytes)]

def copy(megabytes):
    block = bytearray(1 << 20)
    for _ in range(megabytes):
        other = bytes(block)
    return other
"""
PASSING = {"test_spins", "test_is_cheap", "test_holds_little_enough"}
ABOVE = {"test_holds_too_much": "MB of memory at the peak, allowed are 20",
         "test_copies_too_much": "MB copied, allowed are 10",
         "test_spins_too_long": "s of CPU time, allowed are 0.01",
         "test_has_a_mistyped_mark": "scalene_limit knows cpu_seconds, memory_mb, copy_mb, not memory_gb"}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "work.py").write_text(WORK)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p scalene.pytest_plugin -p no:cacheprovider\n")
    return folder


def run_pytest(suite, *options, prefix=()):
    env = dict(os.environ, PYTHONPATH=str(ROOT / "python"), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", COLUMNS="120")
    return execute([*prefix, sys.executable, "-m", "pytest", "-rA", "--tb=short", *options, suite], env=env,
                   cwd=suite)


@pytest.fixture(scope="module", params=[[], ["-p", "xdist", "-n", "2"]], ids=["one process", "xdist"])
def measured(request, suite):
    return run_pytest(suite, "--scalene", *request.param)


def test_results_are_those_of_the_tests_and_of_their_limits(measured):
    passed = set(re.findall(r"^PASSED \S+::(\w+)", measured.stdout, re.M))
    failed = set(re.findall(r"^FAILED \S+::(\w+)", measured.stdout, re.M))
    assert passed == PASSING and failed == {*ABOVE, "test_fails_by_itself"}, measured.stdout
    assert measured.status == 1


@pytest.mark.parametrize("name", ABOVE)
def test_what_is_above_its_limit_says_so(measured, name):
    assert re.search(rf"{name} is above its limit: .*{re.escape(ABOVE[name])}", measured.stdout), measured.stdout


def test_dearest_lines_are_shown_by_test(measured):
    shown = measured.stdout.split("the dearest lines by test")[1]
    block = re.search(r"::test_spins  [\d.]+ s CPU, peak .*\n((?:  .*\n)+)", shown).group(1)
    assert re.match(r"\s+\d+%\s+[\d.]+ MB  work\.py:[34]  ", block), block
    assert re.search(r"::test_copies_too_much .*copies 3\d MB", shown), shown
    assert "  return [bytes(1 << 20) for _ in range(megabytes)]\n" in shown, shown
    assert shown.index("::test_spins ") < shown.index("::test_is_cheap ")


def test_without_the_option_nothing_is_measured(suite):
    result = run_pytest(suite)
    assert set(re.findall(r"^FAILED \S+::(\w+)", result.stdout, re.M)) == {"test_fails_by_itself"}
    assert "scalene:" not in result.stdout
    assert "PytestUnknownMarkWarning" not in result.stdout


def test_under_scalene_run_it_says_what_to_do(suite, tmp_path):
    result = run_pytest(suite, "--scalene", prefix=[ROOT / "build/scalene", "run", "-o", tmp_path / "x.json"])
    assert result.status == 4 and "start it without scalene run" in result.stderr
