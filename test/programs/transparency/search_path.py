# SPDX-License-Identifier: Apache-2.0
"""Prints where modules and the interpreter itself are found."""
import sys

for name in ("path", "prefix", "exec_prefix", "base_prefix", "executable", "_base_executable",
             "platlibdir", "pycache_prefix", "path_hooks", "meta_path"):
    print(name, str(getattr(sys, name, None)).split(" at 0x")[0])
