# SPDX-License-Identifier: Apache-2.0
"""Fixtures, the parametrisation over interpreters, and the last word on which were covered."""
import collections
import resource
import sys

import pytest

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import harness  # noqa: E402  (found by the line above)

RAN = collections.Counter()
FAILED = collections.Counter()


@pytest.fixture
def scalene(tmp_path_factory):
    assert harness.SCALENE.exists(), "build/scalene is not there: run make first"
    return harness.Scalene(tmp_path_factory.mktemp("profiles"))


def pytest_configure(config):
    # No core files from programs that die on purpose; 1, not 0, so that the programs can tell that
    # the limit is still the one they were started with.
    resource.setrlimit(resource.RLIMIT_CORE, (1, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    config.addinivalue_line("markers", "sees(*names): sees the effect of these options and keys (test_every_option.py)")
    config.addinivalue_line("markers", "says(*names): hears these messages of messages.py (test_messages.py)")
    config.addinivalue_line("markers", "on(*ids): only on those of these interpreters that are there; on any, if none is")


def pytest_generate_tests(metafunc):
    """A test that asks for `interpreter`, and does not choose itself, runs on every one found."""
    chosen = any("interpreter" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "interpreter" not in metafunc.fixturenames or chosen:
        return
    wanted = metafunc.definition.get_closest_marker("on")
    there = harness.interpreters()
    found = [i for i in there if not wanted or i.id in wanted.args] or there[:1]
    metafunc.parametrize("interpreter", found, ids=[i.id for i in found], scope="session")


def pytest_runtest_logreport(report):
    name = dict(report.user_properties).get("interpreter")
    if name and report.when == "call":
        RAN[name] += not report.skipped
        FAILED[name] += report.failed


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    call = getattr(item, "callspec", None)
    if call and "interpreter" in call.params:
        item.user_properties.append(("interpreter", call.params["interpreter"].id))


def pytest_terminal_summary(terminalreporter):
    """Names every interpreter the run covered, and the ones it did not, with the reason."""
    if not RAN:
        return
    there, missing = harness.listed()
    covered = [f"{i.id} ({RAN[i.id]} tests{f', {FAILED[i.id]} FAILED' if FAILED[i.id] else ''})"
               for i in there if RAN[i.id]]
    terminalreporter.write_line(f"interpreters covered: {', '.join(covered)}")
    reasons = {i.id: "no test of this run asked for it" for i in there if not RAN[i.id]}
    for name, reason in {**missing, **reasons}.items():
        terminalreporter.write_line(f"interpreter NOT covered: {name}: {reason}")
