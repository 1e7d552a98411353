# SPDX-License-Identifier: Apache-2.0
"""Bad input: one clear sentence, a status that is not zero, no half-written file, no harm done."""
import json
import os
import random
import shutil
import subprocess

import pytest
from harness import SCALENE, execute, interpreters

SPIN = "total = 0\nfor i in range(3_000_000):\n    total += i\nprint('whole')\n"


@pytest.fixture
def python():
    return [i for i in interpreters() if i.place == "here"][-1]


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(SPIN)
    return path


def assert_one_sentence(result, *parts, status=1):
    assert result.status == status, result.stderr
    text = result.stderr.strip()
    assert text and "\n" not in text, f"not one sentence: {text!r}"
    for part in parts:
        assert part in text
    assert result.profile_path is None or not result.profile_path.exists()


# ---- what to run ----


def test_missing_program(scalene, tmp_path):
    assert_one_sentence(scalene.run("nowhere.py", cwd=tmp_path), "could not find input file", "nowhere.py")


def test_no_program(scalene):
    """With a terminal as stdin; a pipe would be a script."""
    primary, secondary = os.openpty()
    try:
        with subprocess.Popen([SCALENE, "run"], stdin=secondary, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            out, err = process.communicate(timeout=60)
    finally:
        os.close(primary), os.close(secondary)
    assert process.returncode == 1 and "no input file specified." in err and out == ""


def test_folder_without_main(scalene, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    assert_one_sentence(scalene.run(folder), "folder")


def test_unreadable_program(scalene, program):
    program.chmod(0)
    if os.access(program, os.R_OK):  # root reads everything: ask as somebody else
        program.parent.chmod(0o755)
        result = as_nobody(program)
    else:
        result = scalene.run(program)
    assert_one_sentence(result, "program.py")


def as_nobody(program):
    """scalene run as a user who may not read the program; every folder above must be open to him."""
    for folder in list(program.parents)[:4]:
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    return execute([*command, SCALENE, "run", "-o", "/tmp/scalene-test-none.json", program])


def test_binary_that_is_no_python(scalene, tmp_path):
    assert_one_sentence(scalene.run("/bin/true", cwd=tmp_path), "/bin/true")


def test_data_that_is_no_python(scalene, python, tmp_path):
    path = tmp_path / "data.py"
    path.write_bytes(random.Random(1).randbytes(1000))
    assert_one_sentence(scalene.run(path, interpreter=python), "data.py")


@pytest.mark.parametrize("python_path", ["/nowhere/python3", "/tmp", "/etc/passwd"])
def test_interpreter_that_is_none(scalene, program, python_path):
    assert_one_sentence(scalene.run(program, options=["--python", python_path]), python_path)


def test_interpreter_without_run_main(scalene, program):
    """A program that is no Python: it runs as it would, and then we say that nothing was measured."""
    result = scalene.run(program, options=["--python", "/bin/cat"])
    assert result.stdout == SPIN
    assert_one_sentence(result)


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.7"])
def test_interpreter_of_an_unknown_version(scalene, program, version):
    root = execute(["pyenv", "root"]).stdout.strip() if shutil.which("pyenv") else ""
    found = [name for name in (os.listdir(f"{root}/versions") if root else []) if name.startswith(version + ".")]
    if not found:
        pytest.skip(f"there is no Python {version} here to be refused")
    program.write_text("print('whole')\n")
    result = scalene.run(program, options=["--python", f"{root}/versions/{found[0]}/bin/python"])
    assert result.stdout == "whole\n", "its own run must not be harmed"
    assert_one_sentence(result, "3.8")


# ---- where to write ----


def test_output_that_is_a_folder(scalene, python, program, tmp_path):
    result = scalene("run", "--python", python.path, "-o", tmp_path, program)
    assert_one_sentence(result, "is a directory")
    assert result.stdout == ""


@pytest.mark.parametrize("place", ["/nowhere/out.json", "/proc/out.json"])
def test_output_that_cannot_be_written_is_known_before_the_run(scalene, python, program, place):
    result = scalene("run", "--python", python.path, "-o", place, program)
    assert_one_sentence(result, place)
    assert result.stdout == "", "the program must not run for nothing"


def test_full_disk(python, program, tmp_path):
    """A tiny file system of its own, filled to the brim; gone with the command."""
    script = f"""
        mount -t tmpfs -o size=16k tmpfs {tmp_path} 2>/dev/null || exit 99
        printf '%s' "$1" > {tmp_path}/program.py
        (cat /dev/zero > {tmp_path}/filler) 2>/dev/null
        {SCALENE} run --python {python.path} -o {tmp_path}/out.json {tmp_path}/program.py
        status=$?; ls {tmp_path}; exit $status"""
    result = execute(["unshare", "--mount", "sh", "-c", script, "sh", SPIN])
    if result.status == 99 or "unshare" in result.stderr:
        pytest.skip("no right to mount a small file system")
    assert result.status == 1, result.stderr
    assert "No space left on device" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert "out.json" not in result.stdout, "a half-written profile was left"


def test_full_disk_keeps_an_old_profile(scalene, python, program, tmp_path):
    old = tmp_path / "out.json"
    old.write_text("old")
    result = scalene("run", "--python", python.path, "-o", "/dev/full/x.json", program)
    assert result.status != 0 and old.read_text() == "old"


def test_failing_program_keeps_its_status(scalene, python):
    assert scalene.run("-c", "raise SystemExit(7)", interpreter=python).status == 7


def test_record_that_cannot_be_written(scalene, python, program):
    result = scalene.run(program, interpreter=python, options=["--record", "/nowhere/run.rec"])
    assert_one_sentence(result, "/nowhere/run.rec")
    assert result.stdout == ""


# ---- what to view ----


def test_view_of_a_missing_file(scalene, tmp_path):
    result = scalene("view", "--cli", "none.json", cwd=tmp_path)
    assert_one_sentence(result, "profile file 'none.json' not found.")


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"files": ', "\0\0", "[1, 2"])
def test_view_of_bad_json(scalene, tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    assert_one_sentence(scalene("view", "--cli", tmp_path / "bad.json"), "invalid JSON in profile file")


@pytest.mark.parametrize("option", ["--cli", "--agent", "--html"])
def test_view_of_json_that_is_no_profile(scalene, tmp_path, option):
    (tmp_path / "package.json").write_text('{"name": "x"}')
    assert_one_sentence(scalene("view", option, "package.json", cwd=tmp_path), "'package.json' is JSON, but no profile")
    assert os.listdir(tmp_path) == ["package.json"]


def test_view_before_any_run_tells_what_to_do(scalene, tmp_path):
    result = scalene("view", cwd=tmp_path)
    assert_one_sentence(result, "profile file 'scalene-profile.json' not found. scalene run prog.py writes it here.")


def test_view_of_an_empty_profile(scalene, tmp_path):
    (tmp_path / "empty.json").write_text("{}")
    result = scalene("view", "--cli", tmp_path / "empty.json")
    assert result.status == 0 and "no profile data" in (result.stdout + result.stderr).lower()


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A real profile and its recording, to be damaged."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "program.py").write_text(SPIN)
    python = [i for i in interpreters() if i.place == "here"][-1].path
    execute([SCALENE, "run", "--python", python, "-o", "out.json", "--record", "run.rec", "program.py"],
            cwd=folder)
    return folder


HOSTILE = [None, True, -1, 1e308, "", "\x1b[2J\x1b]0;x\x07", [], {}, [[[]]], "x" * 100000, {"a": None}]


def damaged(value, dice):
    """The same JSON with one thing in it, anywhere, replaced by another of any type."""
    if isinstance(value, (dict, list)) and value and dice.random() < 0.9:
        key = dice.choice(list(value) if isinstance(value, dict) else range(len(value)))
        copy = value.copy()
        copy[key] = damaged(value[key], dice)
        return copy
    return dice.choice(HOSTILE)


def test_view_of_hostile_profiles(scalene, real, tmp_path):
    dice = random.Random(5)
    profile = json.loads((real / "out.json").read_text())
    for i in range(60):
        path = tmp_path / "hostile.json"
        path.write_text(json.dumps(damaged(profile, dice)))
        result = scalene("view", "--cli", path)
        assert result.status in (0, 1), f"round {i}: status {result.status}: {result.stderr}"
        assert "\x1b" not in result.stdout + result.stderr, f"round {i}: a control character came through"


def test_view_of_truncated_profiles(scalene, real, tmp_path):
    text = (real / "out.json").read_text()
    for i in range(1, 20):
        path = tmp_path / "cut.json"
        path.write_text(text[: len(text) * i // 20])
        assert_one_sentence(scalene("view", "--cli", path), "invalid JSON in profile file")


def test_replay_of_a_missing_recording(scalene, tmp_path):
    assert_one_sentence(scalene("replay", tmp_path / "none.rec", "-o", tmp_path / "x.json"), "none.rec")


def test_replay_of_damaged_recordings(scalene, real, tmp_path):
    """A sentence or a valid profile, never a crash, never half a file."""
    dice = random.Random(6)
    data = (real / "run.rec").read_bytes()
    assert len(data) > 1000
    for i in range(60):
        copy = bytearray(data[: dice.randrange(len(data))] if i % 2 else data)
        for _ in range(dice.randrange(1, 20)):
            if copy:
                copy[dice.randrange(len(copy))] = dice.randrange(256)
        path, out = tmp_path / "bad.rec", tmp_path / "out.json"
        path.write_bytes(copy)
        result = scalene("replay", path, "-o", out)
        assert result.status in (0, 1), f"round {i}: status {result.status}: {result.stderr}"
        if out.exists():
            json.loads(out.read_text())
            out.unlink()
        else:
            assert result.status == 1 and result.stderr.strip()


@pytest.mark.parametrize("text", [b"", b"nonsense", b"\0" * 4096])
def test_replay_of_what_is_no_recording(scalene, tmp_path, text):
    (tmp_path / "bad.rec").write_bytes(text)
    result = scalene("replay", tmp_path / "bad.rec", "-o", tmp_path / "x.json")
    assert_one_sentence(result, "bad.rec")
    assert not (tmp_path / "x.json").exists()
