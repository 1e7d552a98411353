# SPDX-License-Identifier: Apache-2.0
"""Prints flags, options and limits of the interpreter."""
import sys

print(sys.flags, sys.warnoptions, sys._xoptions, sys.dont_write_bytecode)
print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.hexversion)
print(getattr(sys, "get_int_max_str_digits", int)(), sys.flags.hash_randomization)
