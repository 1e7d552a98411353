# SPDX-License-Identifier: Apache-2.0
"""Where the parts that are written in C lie: the program `scalene` and the agents' libraries."""
import os
import sysconfig
from typing import Iterator


def _roots() -> Iterator[str]:
    """Folders that may hold bin/scalene: where this package was installed to, likeliest first."""
    here = os.path.dirname(os.path.abspath(__file__))
    site = os.path.dirname(here)
    yield site  # pip install --target
    yield os.path.normpath(os.path.join(site, "..", "..", ".."))  # PREFIX/lib/pythonX.Y/site-packages
    yield sysconfig.get_path("data")


def program() -> str:
    """The path of the program `scalene`."""
    here = os.path.dirname(os.path.abspath(__file__))
    candidates = [os.path.join(root, "bin", "scalene") for root in _roots()]
    candidates.append(os.path.join(sysconfig.get_path("scripts"), "scalene"))
    # In a clone of the repository the program is where make has built it.
    candidates.append(os.path.normpath(os.path.join(here, "..", "..", "build", "scalene")))
    for path in candidates:
        # A script of another scalene that lies there would start this module again.
        if os.access(path, os.X_OK) and _is_binary(path):
            return path
    raise FileNotFoundError("the program of this package is not there; please install it again")


def library(name: str = "libscalene.so") -> str:
    """The path of an agent's library: beside the program as built, or where it is installed."""
    folder = os.path.dirname(os.path.realpath(program()))
    for place in ("", "../lib/scalene", "../libexec"):
        path = os.path.normpath(os.path.join(folder, place, name))
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"{name} of this package is not there; please install it again")


def _is_binary(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"
