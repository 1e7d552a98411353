# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the proposals (test/browser/ai), which are node's own: requests, signatures, streams."""
import re

import pytest
from harness import ROOT, execute

TESTS = sorted((ROOT / "test/browser/ai").glob("*.test.mjs"))


@pytest.mark.parametrize("file", TESTS, ids=lambda path: path.name.split(".")[0])
def test_proposals(file):
    result = execute(["node", "--test", "--test-reporter=tap", file], cwd=ROOT)
    assert result.status == 0, result.stdout + result.stderr
    assert int(re.search(r"^# pass (\d+)$", result.stdout, re.M)[1]) > 1
