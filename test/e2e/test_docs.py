# SPDX-License-Identifier: Apache-2.0
"""The documentation is true: its commands work, its links lead somewhere, its list of options is the program's."""
import os
import re
import shutil
import sys

import pytest
from harness import ROOT, SCALENE, execute

PAGES = sorted([*(ROOT / "doc").glob("*.md"), ROOT / "README.md"])
# Long enough for a profile that says something, short enough to be run by every page.
PROG = """\
import sys

def work(n):
    kept = []
    for i in range(n):
        kept.append(str(i * i) * 3)
    return kept

for _ in range(4):
    work(60_000)
"""


def blocks(page):
    return re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.M | re.S)


@pytest.fixture
def place(tmp_path):
    """An empty folder with prog.py and the example; scalene, python and a pip that installs nothing new in the PATH."""
    (tmp_path / "prog.py").write_text(PROG)
    (tmp_path / "example").symlink_to(ROOT / "example")
    tools = tmp_path / ".tools"
    tools.mkdir()
    (tools / "scalene").symlink_to(SCALENE)
    for name in ("python", "python3"):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    # Installing the wheel is what test_package.py does; here it only has to be the right name.
    (tools / "pip").write_text('#!/bin/sh\n[ "$*" = "install ." ]\n')
    (tools / "make").write_text(f'#!/bin/sh\nexec "{shutil.which("make")}" -n -C "{ROOT}" "$@" >/dev/null\n')
    for tool in tools.iterdir():
        if not tool.is_symlink():
            tool.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_commands_of_a_page_work(page, place):
    """All of them, from top to bottom; suites of minutes (make ...) are only looked at, not run."""
    env = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV",) and not k.startswith("SCALENE_")}
    env.update(PATH=f"{place}/.tools:{os.environ['PATH']}", PYTHONPATH=str(ROOT / "python"),
               PYTEST_PLUGINS="scalene.pytest_plugin", PYTEST_ADDOPTS="-p no:cacheprovider")
    done = execute(["bash", "-eux", "-c", "\n".join(blocks(page))], env=env, cwd=place, timeout=240)
    assert done.status == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_command_is_left_out(page):
    """Blocks of commands are all of the kind that is run above; elsewhere commands are only named."""
    text = page.read_text()
    assert set(re.findall(r"^```(.+)$", text, re.M)) <= {"sh"}
    outside = re.sub(r"^```sh\n.*?^```$", "", text, flags=re.M | re.S)
    shown = re.findall(r"^ {4,}\$? ?((?:scalene|python3?|pip|pytest|make) .*)", outside, re.M)
    assert set(shown) <= {"make demo"}, "test_demo_has_its_three_faults_found runs that one"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_of_make_that_are_named_exist(page):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = re.findall(r"`make ([\w-]+)", page.read_text()) + [
        word for block in blocks(page) for word in re.findall(r"^make ([\w-]+)", block, re.M)]
    assert set(named) <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_index():
    index = (ROOT / "doc/README.md").read_text()
    assert not [page.name for page in (ROOT / "doc").glob("*.md") if page.name not in index and page.name != "README.md"]


@pytest.mark.sees("manual markdown")
def test_list_of_options_is_the_programs():
    made = execute([SCALENE, "manual", "--markdown"]).stdout
    assert (ROOT / "doc/options.md").read_text() == made, "build/scalene manual --markdown > doc/options.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_that_are_named_exist(page):
    known = set(re.findall(r"--[\w-]+", execute([SCALENE, "manual", "--markdown"]).stdout))
    known |= set(re.findall(r"--[\w-]+", execute([SCALENE, "--help"]).stdout))
    for command in re.findall(r"`scalene ((?:run|view|profile|replay) [^`]*)`", page.read_text()):
        for option in re.findall(r"(?<!\S)--[a-z][\w-]*", command):
            assert option in known, f"{page.name}: scalene {command}"


def test_demo_has_its_three_faults_found(tmp_path):
    """As the README tells a new user: the slow line, the leak and the copy, in the commands after the installation."""
    demo = ROOT / "example/demo.py"
    text = demo.read_text().splitlines()
    slow, leak, copy = (next(i for i, line in enumerate(text, 1) if part in line)
                        for part in ("start = start // 2", "SEEN[request] = bytearray", "data[i:]"))
    run = execute([SCALENE, "run", "--python", sys.executable, demo], cwd=tmp_path)
    assert run.status == 0, run.stderr
    shown = execute([SCALENE, "view", "--cli"], cwd=tmp_path).stdout
    first = shown.split("where to look first")[1].split("\n\n")[0]
    assert re.match(rf"\s*1  demo\.py:{slow} ", first), shown
    assert re.search(rf"demo\.py:{leak} .*leaks .*/s", first), shown
    assert re.search(rf"demo\.py:{copy} .*copies .*/s", first), shown
    agent = execute([SCALENE, "view", "--agent"], cwd=tmp_path).stdout
    assert all(f"demo.py:{line} " in agent for line in (slow, leak, copy)), agent
