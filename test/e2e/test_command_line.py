# SPDX-License-Identifier: Apache-2.0
"""The command line: what is asked for is done, what belongs to the program reaches it."""
import json
import os
import shutil
import stat

import harness
import pytest
from harness import SCALENE, SPIN, execute, lines, newest_here


@pytest.fixture
def python():
    return newest_here()


@pytest.fixture
def busy(tmp_path):
    path = tmp_path / "busy.py"
    path.write_text(harness.busy("sys.argv[1:]"))
    return path


# ---- help and version ----


COMMANDS = ["run", "view", "profile", "replay", "completion", "manual"]


@pytest.mark.sees(*(f"{command} {option}" for command in COMMANDS for option in ("help", "-h")), "run help-advanced")
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_goes_to_stdout(scalene, command):
    result = scalene(*command.split(), "--help")
    assert result.status == 0 and result.stdout.startswith(f"Usage: scalene {command}") and result.stderr == ""
    assert not result.stdout.endswith(":\n"), "no heading without anything below it"
    assert scalene(*command.split(), "-h").stdout == result.stdout
    if command == "run":
        advanced = scalene("run", "--help-advanced").stdout
        assert advanced.startswith(result.stdout) and "--profile-all" in advanced.replace(result.stdout, "")


def test_version(scalene):
    result = scalene("--version")
    assert result.status == 0 and "cale" in result.stdout and any(c.isdigit() for c in result.stdout)


def test_nothing_at_all_is_help_and_an_error(scalene):
    result = scalene()
    assert result.status == 1 and "run" in result.stdout + result.stderr


@pytest.mark.parametrize("typed, meant", [("rnu", "run"), ("veiw", "view"), ("relpay", "replay"), ("nothing", "run nothing")])
def test_nearest_command_is_named(scalene, typed, meant):
    result = scalene(typed, "busy.py")
    assert result.status == 1 and f"did you mean 'scalene {meant}'?" in result.stderr


# ---- what is whose ----


def test_options_after_the_program_are_its_own(scalene, python, busy, tmp_path):
    arguments = ["-o", "x", "--profile-all", "-m", "--help", "--", "--python", "y"]
    result = scalene.run(busy, *arguments, interpreter=python, cwd=tmp_path)
    assert result.stdout == f"{arguments}\n"
    assert sorted(os.listdir(tmp_path)) == ["busy.py"]


@pytest.mark.parametrize("arguments, seen", [(["---", "PROGRAM", "--b"], ["--b"]),
                                             (["PROGRAM", "a", "---", "--b"], ["a", "--b"])])
def test_three_dashes_end_our_options(scalene, python, busy, arguments, seen):
    arguments = [busy if word == "PROGRAM" else word for word in arguments]
    result = scalene.run(*arguments, interpreter=python)
    assert result.status == 0 and result.stdout == f"{seen}\n"


@pytest.mark.parametrize("options", [["--no-browser"], ["--json"], ["--cpu-only", "--no-browser"]])
def test_options_of_old_are_tolerated(scalene, python, busy, options):
    result = scalene.run(busy, "a", interpreter=python, options=options)
    assert result.status == 0 and result.stdout == "['a']\n"


def test_options_may_be_abbreviated(scalene, python, busy):
    result = scalene.run(busy, interpreter=python, options=["--profile-a", "--cpu-sam=0.01"])
    assert result.status == 0 and result.stdout == "[]\n"


@pytest.mark.parametrize("options", [
    ["--nonsense"], ["--cpu"], ["--cpu-sampling-rate", "0"], ["--cpu-sampling-rate", "-1"],
    ["--cpu-sampling-rate=fast"], ["--cpu-sampling-rate", "nan"], ["--cpu-percent-threshold", "x"],
    ["--profile-interval", "0"], ["--on", "--off"], ["--allocation-sampling-window", "0"],
    ["--allocation-sampling-window", "-5"], ["--allocation-sampling-window", "many"],
    ["--allocation-sampling-window", "1e300"], ["--allocation-sampling-window"]])
def test_wrong_options_are_refused_in_one_sentence(scalene, python, busy, options):
    result = scalene.run(busy, interpreter=python, options=options)
    assert result.status == 2
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert result.stdout == "" and not result.profile_path.exists()


def test_nearest_option_is_named(scalene, python, busy):
    assert "--profile-all" in scalene.run(busy, interpreter=python, options=["--profle-all"]).stderr


# ---- the output file ----


def test_default_output_and_closing_message(scalene, python, busy, tmp_path):
    result = scalene("run", "--python", python.path, busy, cwd=tmp_path)
    assert result.status == 0
    json.loads((tmp_path / "scalene-profile.json").read_text())
    closing = result.stderr.split("\n")
    assert closing[0] == "" and closing[1].startswith("Scalene: profile saved to ")
    assert closing[1].endswith("scalene-profile.json")
    assert any("scalene view" in line for line in closing) and "scalene view --cli" in result.stderr


def test_closing_message_names_another_file(scalene, python, busy, tmp_path):
    result = scalene("run", "--python", python.path, "-o", "other.json", busy, cwd=tmp_path)
    assert "scalene view --cli other.json" in result.stderr


@pytest.mark.sees("run -o")
@pytest.mark.parametrize("given, written", [("a.json", "a.json"), ("a.html", "a.json"), ("a", "a.json"),
                                            ("x.y.txt", "x.y.json")])
def test_extension_is_always_json(scalene, python, busy, tmp_path, given, written):
    scalene("run", "--python", python.path, "-o", given, busy, cwd=tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted(["busy.py", written])


def test_short_program_says_how_few_samples(scalene, python):
    result = scalene.run("-c", "pass", interpreter=python)
    assert result.status == 0 and "sample" in result.stderr
    assert result.profile["scalene"]["samples"] <= 5


def test_code_of_an_argument_is_shown(scalene, python):
    code = "def work():\n    for _ in range(10_000_000):\n        pass\nwork()"
    lines = scalene.run("-c", code, interpreter=python).profile["files"]["<string>"]["lines"]
    assert [line["line"].rstrip("\n") for line in lines] == code.split("\n")


def test_code_of_different_arguments_is_not_mixed_up(scalene, python):
    spin = "for _ in range(10_000_000): pass"
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', '{spin}'])\n{spin}"
    lines = scalene.run("-c", code, interpreter=python).profile["files"]["<string>"]["lines"]
    assert not any(line["line"].strip() for line in lines)


# ---- which interpreter ----


def test_shebang_chooses_the_interpreter(scalene, python, tmp_path):
    script = tmp_path / "tool"
    script.write_text(f"#!{python.path}\nimport sys\nprint(sys.executable)\n")
    script.chmod(0o755)
    result = scalene("run", "-o", "out.json", script, cwd=tmp_path)
    assert result.stdout == execute([script]).stdout


def test_program_is_looked_up_in_the_path(scalene, python, tmp_path):
    script = tmp_path / "bin" / "some-console-script"
    script.parent.mkdir()
    script.write_text(f"#!{python.path}\nimport sys\nprint(sys.argv)\n")
    script.chmod(0o755)
    env = dict(os.environ, PATH=f"{script.parent}:{os.environ['PATH']}")
    result = scalene("run", "-o", "out.json", "some-console-script", "-x", env=env, cwd=tmp_path)
    assert result.stdout == f"['{script}', '-x']\n", result.stderr


def test_virtual_environment_comes_before_the_path(scalene, python, busy, tmp_path):
    venv = tmp_path / "venv"
    execute([python.path, "-m", "venv", "--without-pip", venv])
    env = dict(os.environ, VIRTUAL_ENV=str(venv))
    result = scalene("run", "-o", tmp_path / "o.json", "-c", "import sys; print(sys.prefix)", env=env)
    assert result.stdout == f"{venv}\n", result.stderr


def test_interpreter_that_is_a_shell_script(scalene, python, busy, tmp_path):
    shim = tmp_path / "python3"
    shim.write_text(f'#!/bin/sh\nexec "{python.path}" "$@"\n')
    shim.chmod(0o755)
    env = dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}")
    env.pop("VIRTUAL_ENV", None)
    result = scalene("run", "-o", tmp_path / "o.json", busy, env=env)
    assert result.status == 0 and result.stdout == "[]\n", result.stderr
    assert lines(json.loads((tmp_path / "o.json").read_text()), "busy.py")


# ---- which files ----


@pytest.fixture
def project(tmp_path):
    """A program, a module of its own beside it, and one that is elsewhere."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    (here / "own.py").write_text(SPIN)
    (there / "other.py").write_text(SPIN)
    (here / "main.py").write_text(f"import sys; sys.path.append({str(there)!r})\nimport own, other\n"
                                  "own.spin(4_000_000)\nother.spin(4_000_000)\n")
    return here


def reported(result):
    return sorted(os.path.basename(path) for path in result.profile["files"])


def test_only_the_tree_of_the_program_is_profiled(scalene, python, project):
    result = scalene.run(project / "main.py", interpreter=python)
    assert reported(result) == ["main.py", "own.py"]
    # The time in the other file is on the line that called it.
    assert lines(result.profile, "main.py")[4]["n_cpu_percent_python"] > 20


@pytest.mark.parametrize("options, there, absent", [
    (["--profile-all"], {"other.py", "own.py"}, set()),  # main.py's own share may reach the threshold
    (["--profile-only", "own"], {"own.py"}, {"main.py", "other.py"}),
    (["--profile-exclude", "own"], {"main.py"}, {"own.py", "other.py"}),
    (["--profile-all", "--profile-exclude=own.py,main.py"], {"other.py"}, {"own.py", "main.py"})])
def test_filters(scalene, python, project, options, there, absent):
    files = set(reported(scalene.run(project / "main.py", interpreter=python, options=options)))
    assert there <= files and not absent & files


def test_program_path_widens_the_tree(scalene, python, project):
    options = ["--program-path", project.parent]
    assert "other.py" in reported(scalene.run(project / "main.py", interpreter=python, options=options))


def test_threshold_leaves_out_cheap_files(scalene, python, project):
    options = ["--profile-all", "--cpu-only", "--cpu-percent-threshold", "99"]
    assert reported(scalene.run(project / "main.py", interpreter=python, options=options)) == []


@pytest.mark.sees("run no-stacks")
def test_no_stacks(scalene, python, busy):
    assert scalene.run(busy, interpreter=python).profile["stacks"]
    assert not scalene.run(busy, interpreter=python, options=["--no-stacks"]).profile["stacks"]


# ---- run and view in one, recordings ----


def test_program_alone_is_run_then_view(scalene, python, busy, tmp_path):
    env = dict(os.environ, PATH=f"{os.path.dirname(python.path)}:{os.environ['PATH']}")
    env.pop("VIRTUAL_ENV", None)
    result = scalene(busy, "a", cwd=tmp_path, env=env)
    assert result.status == 0, result.stderr
    assert result.stdout.startswith("['a']\n") and "total += i * i % 7" in result.stdout


@pytest.mark.sees("run record", "replay -o")
def test_recording_gives_the_same_profile(scalene, python, busy, tmp_path):
    recording = tmp_path / "run.rec"
    live = scalene.run(busy, interpreter=python, options=["--record", recording])
    assert scalene("replay", recording, "-o", tmp_path / "again.json").status == 0
    again = json.loads((tmp_path / "again.json").read_text())
    assert again["files"] == live.profile["files"] and again["stacks"] == live.profile["stacks"]


@pytest.mark.sees("view cli", "view -r", "view reduced", "view all", "view color")
def test_view_shows_the_hot_line(scalene, python, busy):
    result = scalene.run(busy, interpreter=python)
    for arguments in ([], ["-r"], ["--reduced"]):
        shown = scalene("view", "--cli", *arguments, result.profile_path)
        assert shown.status == 0 and "total += i * i % 7" in shown.stdout
        assert "\x1b" not in shown.stdout, "no colour where there is no terminal"
        assert ("return total" in shown.stdout) == (not arguments), "it costs nothing: context"
    assert "import sys" in scalene("view", "--cli", "--all", result.profile_path).stdout
    colour = scalene("view", "--cli", "--color=always", result.profile_path)
    assert "\x1b[" in colour.stdout


def test_view_takes_the_default_file(scalene, python, busy, tmp_path):
    scalene("run", "--python", python.path, busy, cwd=tmp_path)
    assert "busy.py" in scalene("view", "--cli", cwd=tmp_path).stdout


def test_view_into_a_closed_pipe_is_quiet(scalene, python, busy):
    path = scalene.run(busy, interpreter=python).profile_path
    result = execute(["sh", "-c", f"{SCALENE} view --cli {path} | true"])
    assert result.stderr == ""


def test_scalene_works_from_any_place(python, busy, tmp_path):
    """A copy in a folder with a space and a colon in its name, where LD_PRELOAD could not name it."""
    place = tmp_path / "a b:c"
    place.mkdir()
    for name in ("scalene", "libscalene.so", "libscalene-cpu.so"):
        shutil.copy(SCALENE.parent / name, place / name)
    (place / "scalene").chmod(stat.S_IRWXU)
    command = [place / "scalene", "run", "--python", python.path, "-o", tmp_path / "o.json", busy]
    assert execute(command).status == 0
    assert lines(json.loads((tmp_path / "o.json").read_text()), "busy.py")


def test_nothing_is_left_behind(scalene, python, busy, tmp_path):
    def leftovers():
        """Folders of runs that are over: those of others on the machine come and go meanwhile."""
        names = [name for name in os.listdir("/dev/shm") if name.startswith("scalene-")]
        return {name for name in names if not os.path.exists("/proc/" + name.split("-")[1])}

    before = leftovers()
    env = dict(os.environ, TMPDIR=str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    assert scalene.run(busy, interpreter=python, env=env).status == 0
    assert leftovers() <= before and os.listdir(tmp_path / "t") == []
