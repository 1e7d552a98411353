# SPDX-License-Identifier: Apache-2.0
"""Replaces itself by python a few times, soon and late, and at last by a shell that works."""
import os
import sys
import time

LENGTHS_S = (0.0, 0.0, 0.005, 0.005, 0.03, 0.03, 0.1, 0.0)
SHELL = "i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; echo $i; exit 6"

turn = int(sys.argv[1]) if len(sys.argv) > 1 else 0
begin = time.thread_time()
while time.thread_time() - begin < LENGTHS_S[turn]:
    sum(range(1000))
print(turn, flush=True)
if turn + 1 < len(LENGTHS_S):
    os.execv(sys.executable, [sys.executable, __file__, str(turn + 1)])
os.execv("/bin/sh", ["sh", "-c", SHELL])
