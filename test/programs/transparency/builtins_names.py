# SPDX-License-Identifier: Apache-2.0
"""Prints what every program can name."""
import builtins
import sys

print(sorted(dir(builtins)))
print(sorted(dir(sys)))
