# SPDX-License-Identifier: Apache-2.0
"""python -m scalene: the program `scalene`, run with this very interpreter unless told otherwise."""
import os
import sys
from typing import List

from scalene import places


def command(arguments: List[str]) -> List[str]:
    """What is executed for the arguments: `run` gets this interpreter as its Python."""
    if arguments[:1] == ["run"]:
        arguments = ["run", "--python", sys.executable, *arguments[1:]]
    return [places.program(), *arguments]


def main() -> None:
    try:
        argv = command(sys.argv[1:])
    except FileNotFoundError as error:
        sys.exit(f"scalene: {error}")
    sys.stdout.flush()
    os.execv(argv[0], argv)


if __name__ == "__main__":
    main()
