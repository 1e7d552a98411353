# SPDX-License-Identifier: Apache-2.0
"""Scalene, a CPU and memory profiler for Python: the thin layer above the program `scalene`.

Importing this changes nothing and starts nothing.
"""
from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """%load_ext scalene."""
    from scalene import magic
    magic.load(shell)
