# SPDX-License-Identifier: Apache-2.0
"""Prints the loops, functions and classes of Python files as Python's own parser sees them.

The .regions files here are its output: `python3.12 regions.py nasty.py > nasty.regions`.
"""
import ast
import sys
from typing import Iterator


def regions(node: ast.AST, prefix: str) -> Iterator[tuple[int, int, int, str, str]]:
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            is_class = isinstance(child, ast.ClassDef)
            first = min([child.lineno] + [d.lineno for d in child.decorator_list])
            name = prefix + child.name
            yield child.lineno, child.end_lineno, first, "class" if is_class else "function", name
            inner = name + ("." if is_class else ".<locals>.")
        elif isinstance(child, (ast.For, ast.AsyncFor, ast.While)):
            yield child.lineno, child.end_lineno, child.lineno, "loop", "-"
        yield from regions(child, inner)


def main(paths: list[str]) -> None:
    for path in paths:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
        for start, end, first, kind, name in sorted(regions(tree, "")):
            print(kind, first, start, end, name)


if __name__ == "__main__":
    main(sys.argv[1:])
