# SPDX-License-Identifier: Apache-2.0
"""Options that other tests do not see at work: the flat ones of old, what follows a run, and its messages."""
import json
import os
import re

import pytest
from harness import SCALENE, execute, interpreters

BUSY = """\
import sys
def spin(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total
spin(4_000_000)
print("done", sys.argv[1:])
"""


@pytest.fixture
def busy(tmp_path):
    (tmp_path / "busy.py").write_text(BUSY)
    return tmp_path


def scalene(folder, *arguments, **env):
    python = [i for i in interpreters() if i.place == "here"][-1].path
    environment = dict(os.environ, PATH=f"{os.path.dirname(python)}:{os.environ['PATH']}", **env)
    environment.pop("VIRTUAL_ENV", None)
    return execute([SCALENE, *arguments], cwd=folder, env=environment)


# ---- what follows a run; each also without the word run, as it once was typed ----


@pytest.mark.parametrize("command", [["run"], []], ids=["run", "flat"])
def test_html_writes_a_page_beside_the_profile(busy, command):
    result = scalene(busy, *command, "--html", "--outfile", "mine.html", "busy.py", "--html")
    assert result.status == 0, result.stderr
    assert result.stdout.startswith("done ['--html']\n"), "what follows the program is its own"
    assert "busy.py" in json.loads((busy / "mine.json").read_text())["program"]
    assert "total += i * i % 7" in (busy / "mine.html").read_text()


@pytest.mark.parametrize("command", [["run"], []], ids=["run", "flat"])
def test_cli_shows_the_profile_in_the_given_width(busy, command):
    result = scalene(busy, *command, "--cli", "--column-width", "60", "busy.py")
    assert result.status == 0 and "total += i * i" in result.stdout, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 60
    assert (busy / "scalene-profile.json").exists()


def test_json_only_writes(busy):
    result = scalene(busy, "--json", "--no-browser", "--reduced-profile", "busy.py")
    assert result.stdout == "done []\n" and "profile saved to scalene-profile.json" in result.stderr
    lines = json.loads((busy / "scalene-profile.json").read_text())["files"][str(busy / "busy.py")]["lines"]
    assert 0 < len(lines) < BUSY.count("\n"), "--reduced-profile: only lines with activity"


def test_flat_form_with_options_of_run(busy):
    result = scalene(busy, "--cpu-only", "--use-virtual-time", "--malloc-threshold=5", "-o", "x.json", "busy.py")
    assert result.status == 0 and (busy / "x.json").exists(), result.stderr


@pytest.mark.parametrize("arguments, said", [
    (["--nonsense", "busy.py"], "scalene run"), (["nothing-of-that-name"], "did you mean")])
def test_what_is_no_command_is_refused_with_help(busy, arguments, said):
    result = scalene(busy, *arguments)
    assert result.status == 1 and said in result.stderr and "Usage: scalene" in result.stderr


# ---- options that change what the program sees, or nothing ----


@pytest.mark.parametrize("option", ["--use-legacy-tracer", "--use-python-callback", "--ipython", "--port=5",
                                    "--pid=7", "--memory-leak-detector", "--stacks", "--on"])
def test_accepted_without_a_word(busy, option):
    result = scalene(busy, "run", option, "busy.py")
    assert result.status == 0 and result.stdout == "done []\n"
    assert result.stderr.startswith("\nScalene: profile saved"), result.stderr


def test_disable_jit_leaves_what_is_set(busy):
    (busy / "jit.py").write_text("import os; print(os.environ['JAX_DISABLE_JIT'], os.environ['PYTORCH_JIT'])")
    assert scalene(busy, "run", "--disable-jit", "jit.py").stdout == "1 0\n"
    assert scalene(busy, "run", "--disable-jit", "jit.py", PYTORCH_JIT="x").stdout == "1 x\n"


# ---- messages ----


@pytest.mark.parametrize("options, hint", [
    ([], r"only files under the program's folder.*\n.*--profile-all"),
    (["--profile-all", "--profile-only=zebra"], "--profile-only or --profile-exclude"),
    (["--profile-all"], "a second of work, or 10 MB")])
def test_too_short_to_profile(busy, options, hint):
    (busy / "short.py").write_text("print('short')")
    result = scalene(busy, "run", *options, "short.py")
    assert result.status == 0 and result.stdout == "short\n"
    assert "The specified code did not run for long enough to profile" in result.stderr
    assert re.search(hint, result.stderr), result.stderr
    json.loads((busy / "scalene-profile.json").read_text())


@pytest.mark.parametrize("arguments, status, said", [
    (["run", "missing.py"], 1, "could not find input file"), (["run", "-o", ".", "busy.py"], 1, "is a directory"),
    (["view", "--cli", "missing.json"], 1, "profile file 'missing.json' not found."),
    (["run", "--cpu", "busy.py"], 2, "can mean --cpu-only or --cpu-percent-threshold")])
def test_refusals(busy, arguments, status, said):
    result = scalene(busy, *arguments)
    assert result.status == status and said in result.stderr


def test_view_of_nothing_and_of_rubbish(busy):
    (busy / "empty.json").write_text("{}")
    (busy / "bad.json").write_text("{")
    empty = scalene(busy, "view", "--cli", "empty.json")
    assert empty.status == 0 and "no profile data" in empty.stdout + empty.stderr
    bad = scalene(busy, "view", "--cli", "bad.json")
    assert bad.status == 1 and "invalid JSON in profile file" in bad.stderr
