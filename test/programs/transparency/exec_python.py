# SPDX-License-Identifier: Apache-2.0
"""Shows a program that becomes another Python."""
import os
import sys

code = "import os, sys; print(sys.argv, sorted(os.environ.items()), sys.path, len(sys.modules))"
child = os.fork()
if child == 0:
    os.execve(sys.executable, [sys.executable, "-I", "-c", code, "x"], {"ONLY": "this"})
print(os.waitpid(child, 0)[1])
child = os.fork()
if child == 0:
    os.execl("/bin/sh", "sh", "-c", "env | sort")
print(os.waitpid(child, 0)[1])
sys.stdout.flush()
os.execv(sys.executable, [sys.executable, "-c", code, "last"])
