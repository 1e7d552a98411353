# SPDX-License-Identifier: Apache-2.0
"""The rules a machine can check: format, layers, signal safety, warnings, headers that stand alone."""
import pathlib
import sys

import pytest
from harness import BUILD, ROOT, execute

C_FILES = sorted([*(ROOT / "src").rglob("*.[ch]"), *(ROOT / "test").rglob("*.[ch]")])
WARNINGS = ("-Wall -Wextra -Wshadow -Wundef -Wvla -Wwrite-strings -Wstrict-prototypes "
            "-Wmissing-prototypes -Wconversion -Werror").split()


def syntax(compiler: str, *arguments) -> str:
    """What a compiler says of some files; the empty string when it is content."""
    flags = ["-std=gnu11", "-D_GNU_SOURCE", '-DSCALENE_VERSION="0"', f"-I{ROOT}/src"]
    result = execute([compiler, "-fsyntax-only", *flags, *WARNINGS, *arguments])
    return "" if result.status == 0 else result.stderr


def test_c_files_are_formatted():
    clang_format = pathlib.Path(sys.executable).parent / "clang-format"
    result = execute([clang_format, "--dry-run", "-Werror", *C_FILES])
    assert result.status == 0, "make format puts this right:\n" + result.stderr


def test_includes_follow_the_layers():
    result = execute([sys.executable, ROOT / "script/layers"])
    assert result.status == 0, result.stdout


def test_agent_is_signal_safe():
    result = execute([sys.executable, ROOT / "script/signal-safety", BUILD])
    assert result.status == 0, result.stdout


@pytest.mark.parametrize("folder", sorted(p.name for p in (ROOT / "src").iterdir()))
def test_clang_has_no_warning(folder):
    sources = sorted((ROOT / "src" / folder).rglob("*.c"))
    assert not sources or not syntax("clang", *sources), syntax("clang", *sources)


def test_gcc_has_no_warning():
    # The build itself uses gcc; here the warnings are errors.
    sources = sorted((ROOT / "src").rglob("*.c"))
    assert not syntax("gcc", *sources), syntax("gcc", *sources)


@pytest.mark.parametrize("header", sorted((ROOT / "src").rglob("*.h")), ids=lambda p: p.name)
def test_header_stands_alone(header):
    complaint = syntax("gcc", "-Wno-unused-function", "-x", "c", header)
    assert not complaint, complaint


@pytest.mark.parametrize("file", C_FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_file_has_its_head(file):
    assert file.read_text().startswith("/* SPDX-License-Identifier: Apache-2.0 */\n")
