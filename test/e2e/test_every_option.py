# SPDX-License-Identifier: Apache-2.0
"""No option and no key without a test that sees its effect.

A test says with `@pytest.mark.sees("run outfile", "key output", ...)` what it sees at work; here that is compared
with the program's own tables, both ways.
"""
import functools
import importlib.util
import pathlib
import re

import pytest
from harness import ROOT, SCALENE, execute

HERE = pathlib.Path(__file__).parent
# A mark does not count as using what it names.
MARK = re.compile(r"@pytest\.mark\.sees\(.*?\)\n", re.S)


def tables():
    """Every option of every command, those that no help names too, and every key of files."""
    return set(execute([SCALENE, "manual", "--list"]).stdout.splitlines())


@functools.lru_cache(maxsize=None)
def claims():
    """What is claimed to be seen, and by which tests: the path of each, its function."""
    found = {}
    for path in HERE.glob("test_*.py"):
        if "mark.sees(" not in path.read_text():
            continue
        spec = importlib.util.spec_from_file_location(f"claims_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for function in vars(module).values():
            for mark in getattr(function, "pytestmark", []):
                for name in mark.args if mark.name == "sees" else ():
                    found.setdefault(name, []).append((path, function.__name__))
    return found


@pytest.mark.sees("manual list")
def test_every_option_and_key_is_seen_at_work():
    assert sorted(tables() - set(claims())) == []


def test_nothing_is_claimed_that_is_not_there():
    assert sorted(set(claims()) - tables()) == []


def test_whoever_claims_an_option_uses_it():
    """At least its name is in the test's file; or in the package, for what only the package gives. Letters are in
    clusters and not looked for."""
    package = "".join(path.read_text() for path in (ROOT / "python/scalene").glob("*.py"))
    for claim, tests in claims().items():
        name = claim.split()[1]
        for path, function in tests:
            text = MARK.sub("", path.read_text()).replace("\\n", " ")
            is_used = name.startswith("-") or re.search(rf"(?<!\w)(?<!\w-){name}(?![\w-])", text + package)
            assert is_used, f"{path.name}: {function} says it sees {claim}"
