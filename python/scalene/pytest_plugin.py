# SPDX-License-Identifier: Apache-2.0
"""pytest --scalene: every test is measured on its own; the dearest lines are shown at the end.

    @pytest.mark.scalene_limit(cpu_seconds=0.5, memory_mb=100, copy_mb=50)
    def test_of_something(): ...

fails, when run with --scalene, if the test's own run (not its fixtures) takes more CPU time, has a higher
peak of memory or copies more than that. Without --scalene nothing is imported, measured or changed.
"""
import time
from typing import Any, Dict, Generator, List, NamedTuple, Optional

import pytest

MARK = "scalene_limit"
# What a mark may limit: the fact it is held against, and its unit.
LIMITS = {"cpu_seconds": "s of CPU time", "memory_mb": "MB of memory at the peak",
          "copy_mb": "MB copied"}


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("scalene", "which lines cost the time and the memory")
    group.addoption("--scalene", action="store_true", help="measure every test, show the dearest lines")
    group.addoption("--scalene-tests", type=int, default=10, metavar="N",
                    help="how many tests are shown (10)")
    group.addoption("--scalene-lines", type=int, default=3, metavar="N",
                    help="how many lines of each (3)")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", f"{MARK}({', '.join(LIMITS)}): fail, with --scalene, above this")
    if config.getoption("--scalene"):
        config.pluginmanager.register(Plugin(config), "scalene-measures")


class Line(NamedTuple):
    """A line of a test's profile."""

    place: str
    percent: float
    memory_mb: float
    text: str


class Plugin:
    """Measures the tests of this process and collects what all processes (pytest-xdist) have measured."""

    def __init__(self, config: Any):
        from scalene import agent, result
        self._agent, self._text = agent, result.line_text
        self._config = config
        self._root = str(config.rootpath) if hasattr(config, "rootpath") else str(config.rootdir)
        self._seen: Dict[str, Dict[str, Any]] = {}
        if agent.preloaded():
            raise pytest.UsageError("pytest --scalene measures by itself: start it without scalene run.")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Generator[None, Any, None]:
        session = self._agent.Loaded(["--memory"], program=str(item.fspath), root=self._root)
        session.start()
        before = time.process_time()
        yield
        cpu_seconds = time.process_time() - before
        session.stop()
        facts = self._facts(session.profile(), cpu_seconds)
        item.user_properties.append(("scalene", facts))

    def _facts(self, profile_bytes: bytes, cpu_seconds: float) -> Dict[str, Any]:
        """What the end of the run needs of a profile: small, and of plain types."""
        from scalene.result import Profile
        profile = Profile(lambda: profile_bytes)
        memory = profile.get("scalene", {}).get("memory") or {}
        lines = [self._line(path, number, row) for (path, number), row in profile.lines.items()]
        n = self._config.getoption("--scalene-lines")
        return {"cpu_seconds": cpu_seconds, "memory_mb": profile.get("max_footprint_mb", 0.0),
                "copy_mb": memory.get("exact", {}).get("copied_mb", 0.0),
                "lines": [list(line) for line in lines[:n]]}

    def _line(self, path: str, number: int, row: Dict[str, Any]) -> Line:
        percent = row["n_cpu_percent_python"] + row["n_cpu_percent_c"] + row["n_sys_percent"]
        short = path[len(self._root) + 1:] if path.startswith(self._root + "/") else path
        return Line(f"{short}:{number}", percent, row["n_malloc_mb"], self._text(row))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        outcome = yield
        report = outcome.get_result()
        facts = dict(item.user_properties).get("scalene")
        if call.when != "call" or not facts or not report.passed:
            return
        above = exceeded(facts, item.get_closest_marker(MARK))
        if above:
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} is above its limit: " + "; ".join(above)

    def pytest_runtest_logreport(self, report: Any) -> None:
        facts = dict(report.user_properties).get("scalene")
        if facts and report.when == "call":
            self._seen[report.nodeid] = facts

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._seen:
            return
        terminalreporter.section("scalene: the dearest lines by test")
        dearest = sorted(self._seen.items(), key=lambda pair: -pair[1]["cpu_seconds"])
        n = self._config.getoption("--scalene-tests")
        for name, facts in dearest[:n]:
            for text in describe(name, facts):
                terminalreporter.write_line(text)
        if len(dearest) > n:
            terminalreporter.write_line(f"({len(dearest) - n} cheaper tests are not shown)")


def exceeded(facts: Dict[str, Any], mark: Optional[Any]) -> List[str]:
    """A sentence for each limit of the mark that was not kept."""
    if mark is None:
        return []
    unknown = set(mark.kwargs) - set(LIMITS)
    if unknown or mark.args:
        return [f"{MARK} knows {', '.join(LIMITS)}, not {', '.join(sorted(unknown)) or 'a bare value'}"]
    return [f"{facts[name]:.3g} {LIMITS[name]}, allowed are {limit:g}"
            for name, limit in mark.kwargs.items() if facts[name] > limit]


def describe(name: str, facts: Dict[str, Any]) -> List[str]:
    """A test and its dearest lines as text."""
    parts = [f"{facts['cpu_seconds']:.2f} s CPU", f"peak {facts['memory_mb']:.1f} MB"]
    if facts["copy_mb"] >= 1:
        parts.append(f"copies {facts['copy_mb']:.0f} MB")
    text = [f"{name}  {', '.join(parts)}"]
    width = max((len(Line(*line).place) for line in facts["lines"]), default=0)
    for line in (Line(*line) for line in facts["lines"]):
        text.append(f"  {line.percent:3.0f}%  {line.memory_mb:7.1f} MB  {line.place:{width}}  {line.text[:60]}")
    return text
