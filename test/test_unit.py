# SPDX-License-Identifier: Apache-2.0
"""Runs the C unit tests: every test/unit/FOLDER/NAME.c with a main, plain and under sanitizers."""
import os
import pathlib

import pytest
from harness import ROOT, execute

# The build folders, and what of the unit tests is built there.
BUILDS = {"build": "*", "build-asan": "*", "build-tsan": "wire"}


def cases():
    for source in sorted((ROOT / "test/unit").glob("*/*.c")):
        if "int main(" not in source.read_text():
            continue
        for build, folder in BUILDS.items():
            if folder in ("*", source.parent.name):
                name = f"{source.parent.name}-{source.stem}"
                yield pytest.param(ROOT / build / "test/unit" / name, id=f"{build}/{name}")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("program", cases())
def test_unit(program: pathlib.Path, tmp_path: pathlib.Path):
    assert program.exists(), f"{program} was not built: is it in test/unit/meson.build?"
    # Some tests start children with a library preloaded, which then stands before ASan's own.
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:verify_asan_link_order=0", UBSAN_OPTIONS="halt_on_error=1",
               TSAN_OPTIONS="halt_on_error=1", TMPDIR=str(tmp_path))
    result = execute([program], env=env, cwd=ROOT, timeout=150)
    assert result.status == 0, result.stdout + result.stderr
    assert "ok " in result.stdout, "it ran no test"
