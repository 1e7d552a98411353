# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: node runs the tests of this folder in one headless chromium."""
import pathlib

import pytest

from harness import ROOT, execute

HERE = pathlib.Path(__file__).parent
# They take half a minute; a busy machine may need many times that.
TIMEOUT_S = 840
pytestmark = pytest.mark.timeout(900)


def test_page_types():
    result = execute(["npm", "run", "--silent", "check"], cwd=ROOT / "view", timeout=TIMEOUT_S)
    assert result.status == 0, result.stdout + result.stderr


def test_page_in_browser():
    result = execute(["node", HERE / "all.mjs"], timeout=TIMEOUT_S)
    failed = [line for line in result.stdout.splitlines() if line.startswith("not ok")]
    assert result.status == 0, "\n".join([*failed, result.stdout, result.stderr])
    assert "# fail 0" in result.stdout.splitlines(), result.stdout
