# SPDX-License-Identifier: Apache-2.0
"""scalene view --agent: facts in Markdown within a budget."""
import json
import os
import re

import pytest
from harness import ROOT, SCALENE, execute

SCHEMA_EXAMPLES = sorted((ROOT / "schema/examples").glob("*.json"))


@pytest.mark.sees("view agent", "view tokens")
@pytest.mark.parametrize("profile", SCHEMA_EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("tokens", [100, 300, 2000])
def test_stays_within_the_budget(profile, tokens):
    shown = execute([SCALENE, "view", "--agent", "--tokens", tokens, profile])
    assert shown.status == 0 and shown.stdout.startswith("# Profile of ")
    # A token is hardly ever less than three bytes of code and numbers.
    assert len(shown.stdout.encode()) <= 3 * tokens + 100
    assert shown.stdout.count("```") % 2 == 0, "every block of code is closed"


@pytest.mark.parametrize("profile", SCHEMA_EXAMPLES, ids=lambda path: path.stem)
def test_dearest_line_comes_first_with_its_facts_and_source(profile):
    shown = execute([SCALENE, "view", "--agent", profile]).stdout
    files = json.loads(profile.read_text())["files"]

    def time(line):
        return line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]

    path, dearest = max(((path, line) for path, file in files.items() for line in file["lines"]),
                        key=lambda pair: time(pair[1]))
    first = shown.split("\n## ")[1]
    assert re.match(rf"1\. \S*{re.escape(os.path.basename(path))}:{dearest['lineno']}\b", first), first
    assert f"time: {time(dearest):.0f}%" in first
    assert re.search(rf"^>\s*{dearest['lineno']}  {re.escape(dearest['line'].rstrip())}$", first, re.M)


def test_upstreams_profile_and_an_empty_one(tmp_path):
    upstream = {"program": "x.py", "elapsed_time_sec": 1, "files": {"x.py": {"percent_cpu_time": 100, "lines": [
        {"lineno": 1, "line": "pass\n", "n_cpu_percent_python": 90, "n_cpu_percent_c": 10, "n_sys_percent": 0}]}}}
    (tmp_path / "u.json").write_text(json.dumps(upstream))
    assert "## 1. x.py:1" in execute([SCALENE, "view", "--agent", tmp_path / "u.json"]).stdout
    (tmp_path / "e.json").write_text("{}")
    assert execute([SCALENE, "view", "--agent", tmp_path / "e.json"]).status == 0


def test_wrong_budget_is_refused():
    result = execute([SCALENE, "view", "--agent", "--tokens", "1", "x.json"])
    assert result.status == 2 and "--tokens needs a number of tokens" in result.stderr
