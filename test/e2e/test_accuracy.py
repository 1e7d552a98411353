# SPDX-License-Identifier: Apache-2.0
"""The accuracy checks of bench/ on short runs: what a profile says of programs that know the truth.

Tolerances are widened by five standard errors for the samples there were, and all times are CPU
times, so that a busy machine changes nothing; `make accuracy` asks for the full precision.
"""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from lib import checks, run  # noqa: E402  (found by the line above)

DOUBT = 5.0
# CPU seconds of each check's runs: all checks of one interpreter take some 20 seconds.
SECONDS = {
    "loops are Python": 1.2,
    "calls are Python": 2.0,
    "C code is native": 1.2,
    "hash and sum (C7)": 1.0,
    "six lines": 2.0,
    "nested calls (C1)": 1.2,
    "function bias (C2)": 0.7,
    "threads": 1.0,
    "total at any rate (C3)": 0.8,
    "call chains (C9)": 1.0,
    "recursion (C10)": 0.5,
    "generators (C11)": 1.0,
    "hard places (C12)": 2.0,
    "names (C13)": 0.7,
}


def test_every_check_has_its_seconds():
    assert set(SECONDS) == {check.name for check in checks.CHECKS}


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda check: check.name)
def test_profile_tells_the_truth(check, interpreter):
    check = checks.quick(check, SECONDS[check.name])
    runs = [
        run.run(interpreter, check.program, variant, check.seconds, DOUBT)
        for variant in check.variants
    ]
    wrong = [measure for measure in check.judge(runs) if not measure.is_ok]
    assert not wrong, "\n".join(map(str, wrong))
