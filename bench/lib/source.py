# SPDX-License-Identifier: Apache-2.0
"""Finds the tagged lines of a program with known truth."""
from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

TAG = re.compile(r"#.*@(\w+)\s*$")


@functools.lru_cache(maxsize=None)
def tags(path: Path) -> dict[int, str]:
    """Line -> tag. A tag on a `def` or `class` holds for its body but for lines with their own."""
    text = path.read_text(encoding="utf-8")
    single = {
        number: found.group(1)
        for number, line in enumerate(text.splitlines(), 1)
        for found in [TAG.search(line)]
        if found
    }
    spread: dict[int, str] = {}
    for node in ast.walk(ast.parse(text)):
        is_body = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if is_body and node.lineno in single:
            last = node.end_lineno or node.lineno
            spread.update(dict.fromkeys(range(node.lineno, last + 1), single[node.lineno]))
    return {**spread, **single}


def tag_of(path: Path, line: int, folder: Path) -> str | None:
    """The tag of a line of a file in `folder`; code without a file has it in its name: "<@tag>"."""
    if str(path).startswith("<@"):
        return str(path)[2:-1]
    return tags(path).get(line) if path.parent == folder else None


@functools.lru_cache(maxsize=None)
def line_text(path: Path, number: int) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""
