# SPDX-License-Identifier: Apache-2.0
"""Shows much output, to both streams, and input."""
import sys

text = sys.stdin.read()
print(len(text), text[:20])
for i in range(20000):
    print(i, "x" * 40)
    if i % 1000 == 0:
        print("error", i, file=sys.stderr)
sys.stdout.buffer.write(bytes(range(256)))
