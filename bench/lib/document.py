# SPDX-License-Identifier: Apache-2.0
"""Keeps the measured tables in a document up to date: a command writes its section, no other."""
from __future__ import annotations

import argparse
from pathlib import Path

from .interpreters import ROOT, harness

OVERHEAD = ROOT / "doc" / "overhead.md"
COMPATIBILITY = ROOT / "doc" / "compatibility.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the commands that fill OVERHEAD share."""
    parser.add_argument(
        "--build", type=Path, default=harness.BUILD, metavar="DIR", help="another build"
    )
    parser.add_argument(
        "--doc",
        type=Path,
        metavar="FILE",
        help="write the tables there (doc/overhead.md if nothing is left out)",
    )


def marks(section: str) -> tuple[str, str]:
    return f"<!-- {section}: written by the command below -->", f"<!-- end of {section} -->"


def update(document: Path, section: str, text: str) -> None:
    """Replaces what stands between the marks of a section, or appends the section."""
    begin, end = marks(section)
    old = document.read_text() if document.exists() else ""
    before, _, rest = old.partition(begin)
    after = rest.partition(end)[2] if rest else "\n"
    if not rest and before:
        before = before.rstrip("\n") + "\n\n"
    document.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")
