#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares memory, peaks, copies and leaks with programs whose memory is known, everywhere."""
from __future__ import annotations

import argparse
import sys

from lib import interpreters, memory_checks as checks


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[], help="an interpreter; again for more")
    parser.add_argument("--leaks", type=int, default=1, help="how often the leaks are looked for")
    parser.add_argument("--seconds", type=float, default=12, help="length of a leaking program")
    parser.add_argument("--slow-seconds", type=float, default=40, help="of a slowly leaking one")
    return parser.parse_args()


def measure(interpreter: interpreters.Interpreter, options: argparse.Namespace):
    yield from checks.check_lines(interpreter, "volumes.py")
    yield from checks.check_lines(interpreter, "copies.py")
    for name in checks.PEAKS:
        yield from checks.check_lines(interpreter, "peaks.py", name)
    for _ in range(options.leaks):
        for name in checks.LEAKING + checks.INNOCENT:
            yield from checks.check_leak(interpreter, name, options.seconds)
        for name in checks.SLOW:
            yield from checks.check_leak(interpreter, name, options.slow_seconds)


def main() -> int:
    options = arguments()
    chosen, missing = interpreters.choose(options.python)
    n_wrong = 0
    print(interpreters.machine())
    for interpreter in chosen:
        print(f"\n{interpreter.id}")
        for one in measure(interpreter, options):
            n_wrong += not one.is_ok
            print(f"  {one}", flush=True)
    for name, reason in missing.items():
        print(f"\n{name} is missing: {reason}")
    print(f"\n{n_wrong} wrong")
    return 1 if n_wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
