# SPDX-License-Identifier: Apache-2.0
"""What `make cpython-tests` concludes from the runs of a file of tests."""
import pathlib
import sys
from collections import Counter

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
from lib import comparison, compatibility, regrtest  # noqa: E402  (found by the line above)
from lib.comparison import File, Outcome  # noqa: E402
from lib.regrtest import Place, Run  # noqa: E402

GOOD = {"one": "passed", "two": "passed"}
BAD = {"one": "passed", "two": "failure"}


class Interpreter:
    id = "3.12"


def run(cases, end=""):
    fails = "failure" in cases.values()
    return Run(1.0, cases, end or f"status {2 if fails else 0}", Counter(samples=1))


def file(bare, ours, traced=None, unhooked=None):
    subject = File(Place(Interpreter(), pathlib.Path(), "scalene"), "test_x", 1)
    subject.bare, subject.ours = bare, ours
    subject.traced, subject.unhooked = traced, unhooked
    return subject


@pytest.mark.parametrize("verdict, subject", [
    ("same", file([run(GOOD)], [run(GOOD)])),
    ("same", file([run(BAD)], [run(BAD)])),
    ("DIFFERENT", file([run(GOOD)], [run(BAD)])),
    ("DIFFERENT", file([run(BAD)], [run(GOOD)])),
    ("DIFFERENT", file([run(GOOD)], [run({"one": "passed"})])),
    ("DIFFERENT", file([run(GOOD)], [run({}, "SIGSEGV")])),
    ("DIFFERENT", file([run(GOOD)], [run(GOOD, regrtest.HUNG)])),
    ("DIFFERENT", file([run(GOOD)], [run(GOOD, "status 0 without a profile")])),
    # It did not come back, but was there once.
    ("DIFFERENT", file([run(GOOD), run(GOOD)], [run(BAD), run(GOOD)])),
    ("flaky", file([run(GOOD), run(BAD)], [run(BAD), run(GOOD)])),
    ("hooked", file([run(GOOD)] * 2, [run(BAD)] * 2, run(BAD), run(GOOD))),
    # Tracemalloc does not do it; it is there without hooks, too; it comes and goes.
    ("DIFFERENT", file([run(GOOD)] * 2, [run(BAD)] * 2, run(GOOD), run(GOOD))),
    ("DIFFERENT", file([run(GOOD)] * 2, [run(BAD)] * 2, run(BAD), run(BAD))),
    ("DIFFERENT", file([run(GOOD)] * 2, [run(BAD), run(GOOD)], run(BAD), run(GOOD))),
    ("not comparable", file([run({}, "status 1")], [])),
    ("not comparable", file([run(GOOD, regrtest.HUNG)], [])),
])
def test_verdict(verdict, subject):
    assert subject.verdict == verdict


def test_file_that_cannot_be_compared_says_why_and_is_not_counted():
    bare = run({}, "status 1")
    bare.said = "0:00:00 [1/1] test_x\ntest_x skipped -- no such device\nTotal duration: 1 s\n"
    void = file([bare], []).outcome("build")
    same = file([run(GOOD)], [run(GOOD)]).outcome("build")
    text = compatibility.document("make cpython-tests", "a machine", {"3.12.1": [void, same]})
    assert "test_x skipped -- no such device (status 1)" in text
    row = next(line for line in text.splitlines() if "3.12.1" in line)
    assert row.replace(" ", "") == "|3.12.1|1|2|1|0|0|0|1|0|"


def test_results_are_taken_up_again(tmp_path):
    path = tmp_path / "results"
    first = file([run(GOOD)], [run(BAD)]).outcome("build")
    last = file([run(GOOD)], [run(GOOD)]).outcome("build")
    comparison.append(path, first)
    comparison.append(path, last)
    assert comparison.load(path) == {("3.12", "build", "test_x"): last}
    assert isinstance(first, Outcome) and first.told["two"].startswith("DIFFERENT: bare passed")
