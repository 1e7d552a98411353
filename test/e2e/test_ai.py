# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the proposals (test/browser/ai), which are node's own: requests, signatures, streams, the browser."""
import re

import pytest
from harness import ROOT, execute

TESTS = sorted((ROOT / "test/browser/ai").glob("*.test.mjs"))
# Those with a browser take half a minute; a busy machine may need many times that.
TIMEOUT_S = 840
pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("file", TESTS, ids=lambda path: path.name.split(".")[0])
def test_proposals(file):
    result = execute(["node", "--test", "--test-reporter=tap", file], cwd=ROOT, timeout=TIMEOUT_S)
    assert result.status == 0, result.stdout + result.stderr
    assert int(re.search(r"^# pass (\d+)$", result.stdout, re.M)[1]) > 1
