# SPDX-License-Identifier: Apache-2.0
"""Prints what a program sees of the way it was started, as a package."""
import sys

main = sys.modules["__main__"]
print(sys.argv, getattr(sys, "orig_argv", None), sys.path, sys.flags, sys.warnoptions, sys._xoptions)
print(sorted(vars(main)), __name__, __package__, __spec__ and __spec__.name)
print(getattr(main, "__file__", None), type(__loader__), sys.dont_write_bytecode, sys.executable)
print(sys.stdout.encoding, sys.stdout.line_buffering, sys.stdout.write_through, __debug__)
