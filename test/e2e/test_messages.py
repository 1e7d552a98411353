# SPDX-License-Identifier: Apache-2.0
"""Every message of Scalene 2 is said in its place, or the documentation says why it is not (messages.py has them all)."""
import json
import os
import re
import signal
import subprocess

import harness
import pytest
from claims import claims
from harness import ROOT, SCALENE, bare, execute, newest_here
from messages import MESSAGES, assert_said


@pytest.fixture
def place(tmp_path):
    """A folder with a program, and with files that are not what they should be."""
    for name, text in (("busy.py", harness.busy('"done"')), ("empty.json", "{}"), ("bad.json", "{"),
                       ("list.yaml", "- a\n"), ("bad.yaml", "a: [1\n"), ("zebra.yaml", "zebra: 1\n")):
        (tmp_path / name).write_text(text)
    return tmp_path


def environment():
    """The newest Python of this machine is the one in the PATH; there is no desktop."""
    env = dict(os.environ, PATH=f"{os.path.dirname(newest_here().path)}:{os.environ['PATH']}")
    hidden = ("VIRTUAL_ENV", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME")
    return {name: value for name, value in env.items() if name not in hidden}


def scalene(folder, *arguments):
    return execute([SCALENE, *arguments], cwd=folder, env=environment())


# ---- the lists ----


def test_every_message_is_heard_by_a_test():
    said = {name for name, words in MESSAGES.items() if words}
    assert set(claims("says")) == said


def test_whoever_claims_a_message_listens_for_it():
    for name, tests in claims("says").items():
        for text, test in tests:
            assert f'"{name}"' in text, f"{test} says it hears {name!r}"


def test_every_message_that_is_not_said_has_its_reason():
    page = (ROOT / "doc/coming-from-scalene.md").read_text().split("\n## Messages\n")[1]
    rows = re.findall(r"^\| `(.+?)` \| (.+) \|$", page, re.M)
    assert {name for name, _ in rows} == {name for name, words in MESSAGES.items() if words is None}
    assert all(len(reason) > 10 for _, reason in rows)


# ---- what one command line brings about, on the standard error and nowhere else ----


MISTAKES = [
    (["nothing"], 1, "not a valid command"),
    (["--nonsense", "busy.py"], 1, "not a valid command"),
    ([], 1, "no command"),
    (["run", "--cpu", "busy.py"], 2, "ambiguous option"),
    (["run", "--cpu-sampling-rate", "fast", "busy.py"], 2, "wrong value"),
    (["run", "--cpu-sampling-rate"], 2, "value missing"),
    (["run", "missing.py"], 1, "could not find input file"),
    (["run", "-o", ".", "busy.py"], 1, "outfile is a directory"),
    (["run", "-c", "none.yaml", "busy.py"], 1, "config file not found"),
    (["run", "-c", "list.yaml", "busy.py"], 1, "config file is no mapping"),
    (["run", "-c", "bad.yaml", "busy.py"], 1, "invalid YAML"),
    (["run", "-c", "zebra.yaml", "missing.py"], 1, "unknown config option"),
    (["view", "--cli", "missing.json"], 1, "profile file not found"),
    (["view", "missing.json"], 1, "profile file not found"),
    (["view", "--cli", "bad.json"], 1, "invalid JSON in profile file"),
    (["view", "bad.json"], 1, "invalid JSON in profile file"),
    (["view", "--cli", "empty.json"], 0, "no profile data"),
    (["view", "--cli", "--api-keys-from-env", "empty.json"], 1, "--api-keys-from-env refused"),
    (["view", "--html", "--api-keys-from-env", "empty.json"], 1, "--api-keys-from-env refused"),
    (["view", "--standalone", "--api-keys-from-env", "empty.json"], 1, "--api-keys-from-env refused"),
    (["profile", "--on", "--pid", "4194304"], 1, "Process not found"),
    (["profile"], 2, "profile without options"),
    (["profile", "--on", "--pid", "0"], 2, "profile of pid 0"),
]


@pytest.mark.says(*sorted({name for *_, name in MISTAKES}))
@pytest.mark.parametrize("arguments, status, name", MISTAKES, ids=[" ".join(line[0]) or "none" for line in MISTAKES])
def test_mistakes_are_known_by_their_words(place, arguments, status, name):
    before = sorted(os.listdir(place))
    result = scalene(place, *arguments)
    assert (result.status, result.stdout) == (status, ""), result.stderr
    assert_said(name, result.stderr)
    assert sorted(os.listdir(place)) == before, "nothing is written"


@pytest.mark.says("unsupported platform")
def test_what_is_no_python_is_told(place):
    result = scalene(place, "run", "--python", "/bin/cat", "busy.py")
    assert (result.status, result.stdout) == (1, (place / "busy.py").read_text())
    assert_said("unsupported platform", result.stderr)


@pytest.mark.says("no input file specified")
def test_no_program_at_all(place):
    """At a terminal; what is piped into it is a program."""
    done = execute(["script", "-qec", f"{SCALENE} run", "/dev/null"], cwd=place, env=environment())
    assert done.status == 1
    assert_said("no input file specified", done.stdout)


# ---- what follows a run ----


@pytest.mark.says("profile saved", "profile saved, usual file")
def test_where_the_profile_is_and_how_to_see_it(place):
    assert_said("profile saved", "\n" + scalene(place, "run", "-o", "mine", "busy.py").stderr)
    assert_said("profile saved, usual file", "\n" + scalene(place, "run", "busy.py").stderr)


@pytest.mark.says("did not run for long enough", "hint: --profile-all", "hint: patterns", "hint: a second or 10 MB")
@pytest.mark.parametrize("options, hint", [
    ([], "hint: --profile-all"), (["--profile-all", "--profile-only=zebra"], "hint: patterns"),
    (["--profile-all"], "hint: a second or 10 MB")])
def test_too_short_to_profile(place, options, hint):
    (place / "short.py").write_text("print('short')")
    result = scalene(place, "run", *options, "short.py")
    assert result.status == 0 and result.stdout == "short\n"
    assert_said("did not run for long enough", result.stderr)
    assert_said(hint, result.stderr)
    json.loads((place / "scalene-profile.json").read_text())


@pytest.mark.says("Scalene execution interrupted", "received signal")
@pytest.mark.parametrize("number, name", [(signal.SIGINT, "Scalene execution interrupted"),
                                          (signal.SIGSEGV, "received signal")])
def test_what_the_program_died_of(place, number, name):
    (place / "dies.py").write_text(harness.busy('"done", flush=True') +
                                   f"import os, signal\nsignal.signal({number:d}, signal.SIG_DFL)\n"
                                   f"os.kill(os.getpid(), {number:d})\n")
    result = scalene(place, "run", "dies.py")
    assert (result.status, result.stdout) == (-number, "done\n")
    assert_said(name, result.stderr)


@pytest.mark.says("traceback", "syntax error")
@pytest.mark.parametrize("text, name", [("1 / 0\n", "traceback"), ("1 +\n", "syntax error")])
def test_what_python_says_itself_stands_alone(place, text, name):
    (place / "wrong.py").write_text(text)
    result = scalene(place, "run", "wrong.py")
    assert result.status == 1
    assert_said(name, result.stderr)
    assert result.own_stderr == bare(newest_here(), "wrong.py", cwd=place).stderr


HANDLES = """\
import os, signal
for name in ("SIGALRM", "SIGVTALRM", "SIGPROF", "SIGILL", "SIGBUS", "SIGXCPU", "SIGXFSZ"):
    number = getattr(signal, name)
    signal.signal(number, lambda n, _: print(signal.Signals(n).name))
    os.kill(os.getpid(), number)
"""


def test_handlers_of_any_signal_bring_no_warning(place):
    """Nor does an interval bring a remark while the program runs."""
    (place / "handles.py").write_text(HANDLES + harness.busy('"done"'))
    result = scalene(place, "run", "--profile-interval", "0.01", "handles.py")
    assert (result.status, result.own_stderr) == (0, "")
    assert result.stdout == "SIGALRM\nSIGVTALRM\nSIGPROF\nSIGILL\nSIGBUS\nSIGXCPU\nSIGXFSZ\ndone\n"


# ---- view ----


@pytest.mark.says("Profile saved to: scalene-profile.html")
@pytest.mark.parametrize("option", ["--html", "--standalone"])
def test_page_is_announced_on_stdout(place, option):
    result = scalene(place, "view", option, ROOT / "schema/examples/memory.json")
    assert (result.status, result.stderr) == (0, "")
    assert_said("Profile saved to: scalene-profile.html", result.stdout)


@pytest.mark.says("no browser")
def test_without_a_browser_there_is_an_address(place):
    command = [str(SCALENE), "view", str(ROOT / "schema/examples/memory.json")]
    with subprocess.Popen(command, cwd=place, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\w+/\n", address)
    assert_said("no browser", said)
