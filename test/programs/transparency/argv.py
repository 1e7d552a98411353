# SPDX-License-Identifier: Apache-2.0
"""Prints the command line."""
import sys

print(sys.argv)
print(getattr(sys, "orig_argv", None))
print(open("/proc/self/cmdline", "rb").read())
