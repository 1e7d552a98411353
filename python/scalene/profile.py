# SPDX-License-Identifier: Apache-2.0
"""python -m scalene.profile --on|--off|--dump [--pid N]: as `scalene profile`."""
import os
import sys

from scalene import places


def main() -> None:
    try:
        program = places.program()
    except FileNotFoundError as error:
        sys.exit(f"scalene: {error}")
    os.execv(program, [program, "profile", *sys.argv[1:]])


if __name__ == "__main__":
    main()
