#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the opcode tables of src/analyze/opcodes.c from the headers of the interpreters given.

    script/make-opcodes.py PYTHON...     e.g. python3.8 python3.9 ... python3.15

Each interpreter is asked where its headers are. Tables of versions that are not given stay as
they are. With --check nothing is written; the exit status tells whether anything would change.
"""
import os
import re
import subprocess
import sys

TARGET = os.path.join(os.path.dirname(__file__), "..", "src", "analyze", "opcodes.c")
ASK = "import sys, sysconfig; print(sys.version_info[1], sysconfig.get_path('include'))"

CALL = re.compile(r"(INSTRUMENTED_)?(CALL|PRECALL)(?!_INTRINSIC|_FINALLY)")
OF_PYTHON = re.compile(
    r"CALL_(PY_|BOUND_METHOD_|ALLOC_AND_ENTER_INIT|KW_PY|KW_BOUND_METHOD|EX_PY)"
)
OF_C = re.compile(r".*_(LEN|ISINSTANCE|STR_1|TUPLE_1|TYPE_1|LIST_APPEND)$")


def kind_of(name: str) -> str:
    if not CALL.match(name):
        return ""
    if OF_PYTHON.match(name):
        return "OPCODE_CALL_PYTHON"
    return "OPCODE_CALL_C" if OF_C.match(name) else "OPCODE_CALL"


def read_names(include: str) -> dict[int, str]:
    """Names by number, from opcode_ids.h where there is one (3.13 on), else opcode.h."""
    path = os.path.join(include, "opcode_ids.h")
    if not os.path.exists(path):
        path = os.path.join(include, "opcode.h")
    names: dict[int, str] = {}
    with open(path, encoding="utf-8") as header:
        for match in re.finditer(r"^#define (\w+)\s+(\d+)\s*$", header.read(), re.M):
            is_opcode = not re.match(r"HAVE_|MIN_|MAX_|ENABLE_|NB_|PyCmp_", match[1])
            if is_opcode and int(match[2]) < 256:
                names.setdefault(int(match[2]), match[1])
    return names


def table(minor: int, names: dict[int, str]) -> str:
    """The rows of one version: runs of neighbours of the same kind, their names beside them."""
    rows: list[tuple[int, int, str, list[str]]] = []
    for number in sorted(names):
        kind = kind_of(names[number])
        if kind and rows and rows[-1][1] == number - 1 and rows[-1][2] == kind:
            first, _, _, run = rows.pop()
            rows.append((first, number, kind, run + [names[number]]))
        elif kind:
            rows.append((number, number, kind, [names[number]]))
    lines = ["static const struct opcode_run python_3_%d[] = {" % minor]
    for first, last, kind, run in rows:
        lines += ["    /* %s */" % chunk for chunk in wrapped(run)]
        lines.append("    {%d, %d, %s}," % (first, last, kind))
    return "\n".join(lines + ["};", ""])


def wrapped(words: list[str]) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 88:
            lines.append("")
        lines[-1] = (lines[-1] + " " + word).strip()
    return lines


def main(arguments: list[str]) -> int:
    is_check = "--check" in arguments
    with open(TARGET, encoding="utf-8") as source:
        old = text = source.read()
    for python in (a for a in arguments if a != "--check"):
        answer = subprocess.run([python, "-c", ASK], check=True, capture_output=True, text=True)
        minor, include = answer.stdout.strip().split(" ", 1)
        old_table = r"static const struct opcode_run python_3_%s\[\] = \{.*?\n\};\n" % minor
        new_table = table(int(minor), read_names(include))
        text, n = re.subn(old_table, lambda _: new_table, text, flags=re.S)
        if n != 1:
            print("opcodes.c has no table for 3.%s: add an empty one." % minor, file=sys.stderr)
            return 2
    if not is_check and text != old:
        with open(TARGET, "w", encoding="utf-8") as source:
            source.write(text)
    return int(is_check and text != old)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
