# SPDX-License-Identifier: Apache-2.0
"""A program sees, prints and ends the same bare and under `scalene run`.

Each case runs twice with the same interpreter, arguments, input, environment and folder; stdout,
stderr (but for the closing message) and the status must be equal to the byte.
"""
import os
import re
import runpy
import zipapp

import pytest
from harness import PROGRAMS, bare

PROGRAM_FILES = sorted((PROGRAMS / "transparency").glob("*.py"))
FORMS = PROGRAMS / "forms"
LOOK = FORMS / "look.py"
WAYS = sorted(runpy.run_path(str(PROGRAMS / "statuses/end.py"))["WAYS"])
# What can differ between interpreters is looked at on all of them; how a process ends and how the
# command line is read is the kernel's and ours: an old, a static and a new one will do.
SOME = ("3.8", "3.11-debian", "3.12", "3.14")


def without_addresses(text):
    """Addresses of objects change from run to run, bare too."""
    return re.sub(r" at 0x[0-9a-f]+", " at 0x", text)


def assert_same(scalene, interpreter, folder, *arguments, **options):
    options.setdefault("cwd", folder)
    want = bare(interpreter, *arguments, **options)
    got = scalene.run(*arguments, interpreter=interpreter, **options)
    assert got.stdout == want.stdout
    assert without_addresses(got.own_stderr) == without_addresses(want.stderr)
    assert got.status == want.status
    assert got.profile["files"] is not None
    return got


@pytest.mark.parametrize("program", PROGRAM_FILES, ids=lambda path: path.stem)
def test_program_is_the_same(scalene, interpreter, program, tmp_path):
    assert_same(scalene, interpreter, tmp_path, program, "one", "two words", "--option=3", "-o", "x",
                stdin="some input\n")


@pytest.mark.on(*SOME)
@pytest.mark.parametrize("way", WAYS)
def test_end_is_the_same(scalene, interpreter, way, tmp_path):
    assert_same(scalene, interpreter, tmp_path, PROGRAMS / "statuses/end.py", way)


FLAGS = ["-b", "-B", "-d", "-E", "-I", "-O", "-OO", "-q", "-R", "-s", "-S", "-u", "-x", "-bb",
         "-W error", "-Werror", "-X utf8", "-Xdev", "-X faulthandler", "-IS", "-O -B -u -W ignore"]


@pytest.mark.on(*SOME)
@pytest.mark.parametrize("flags", FLAGS)
def test_python_flags_are_passed_on(scalene, interpreter, flags, tmp_path):
    assert_same(scalene, interpreter, tmp_path, *flags.split(), LOOK, "-o", "argument")


CODE = LOOK.read_text()
# By name: the arguments, and the text on stdin (None: none).
STARTS = {
    "code": (["-c", CODE, "a", "-c", "b"], None),
    "code_with_flags": (["-O", "-c", CODE], None),
    "package": (["-m", "package", "a", "-m"], None),
    "module_of_a_package": (["-m", "package.part", "--help"], None),
    "module_of_the_library": (["-m", "json.tool", "--help"], None),
    "missing_module": (["-m", "there.is.none"], None),
    "dash": (["-", "a"], CODE),
    "relative_path": (["look.py", "a"], None),
    "relative_path_with_dots": (["../forms/./look.py"], None),
    "folder": (["package"], None),
    "stdin_error": (["-"], "print(1)\n1 / 0\n"),
    "code_error": (["-c", "def f():\n    1 / 0\nf()"], None),
    "empty_code": (["-c", ""], None),
}


@pytest.mark.on(*SOME)
@pytest.mark.parametrize("start", STARTS)
def test_start_is_the_same(scalene, interpreter, start):
    arguments, stdin = STARTS[start]
    assert_same(scalene, interpreter, None, *arguments, stdin=stdin, cwd=FORMS,
                env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))


@pytest.mark.on(*SOME)
def test_zipapp_is_the_same(scalene, interpreter, tmp_path):
    zipapp.create_archive(FORMS / "package", tmp_path / "app.pyz")
    assert_same(scalene, interpreter, tmp_path, "app.pyz", "a")


STRANGE = ["with space.py", "ünïcödé.py", "tab\there.py", "no_extension", "-dash.py", "quote'\".py",
           "very_" + "long_" * 40 + ".py", "new\nline.py", "x.txt"]


@pytest.mark.on(*SOME)
@pytest.mark.parametrize("name", STRANGE)
def test_strange_file_names_are_the_same(scalene, interpreter, name, tmp_path):
    folder = tmp_path / "földer with späce"
    folder.mkdir()
    (folder / name).write_text(CODE)
    assert_same(scalene, interpreter, tmp_path, folder / name, "a")


def test_environment_variables_pass_untouched(scalene, interpreter, tmp_path):
    env = dict(os.environ, LD_PRELOAD="", PYTHONPATH="/a:/b", PYTHONWARNINGS="ignore", ÜMLAUT="é",
               EMPTY="", PYTHONOPTIMIZE="1", PYTHONUTF8="1", SCALENE="mine", LINE="a\nb")
    program = PROGRAMS / "transparency/environment.py"
    assert_same(scalene, interpreter, tmp_path, program, env=env)


def test_almost_no_environment(scalene, interpreter, tmp_path):
    if interpreter.place == "sid":
        env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    else:
        env = {}
    for name in ("environment", "search_path", "streams"):
        assert_same(scalene, interpreter, tmp_path, PROGRAMS / f"transparency/{name}.py", env=env,
                    stdin="")


def test_there_are_at_least_thirty_programs():
    assert len(PROGRAM_FILES) >= 30
