# SPDX-License-Identifier: Apache-2.0
"""No option and no key without a test that sees its effect.

A test says with `@pytest.mark.sees("run outfile", "key output", ...)` what it sees at work; here that is compared
with the program's own tables, both ways.
"""
import re

import pytest
from claims import claims
from harness import ROOT, SCALENE, execute


def tables():
    """Every option of every command, those that no help names too, and every key of files."""
    return set(execute([SCALENE, "manual", "--list"]).stdout.splitlines())


@pytest.mark.sees("manual list")
def test_every_option_and_key_is_seen_at_work():
    assert sorted(tables() - set(claims("sees"))) == []


def test_nothing_is_claimed_that_is_not_there():
    assert sorted(set(claims("sees")) - tables()) == []


def test_whoever_claims_an_option_uses_it():
    """At least its name is in the test's file; or in the package, for what only the package gives. Letters are in
    clusters and not looked for."""
    package = "".join(path.read_text() for path in (ROOT / "python/scalene").glob("*.py"))
    for claim, tests in claims("sees").items():
        name = claim.split()[1]
        for text, test in tests:
            text = text.replace("\\n", " ")
            is_used = name.startswith("-") or re.search(rf"(?<!\w)(?<!\w-){name}(?![\w-])", text + package)
            assert is_used, f"{test} says it sees {claim}"
