# SPDX-License-Identifier: Apache-2.0
"""Prints the module __main__."""
import sys

main = sys.modules["__main__"]
print(sorted(vars(main)))
for name in ("__name__", "__file__", "__spec__", "__package__", "__cached__", "__doc__"):
    print(name, repr(getattr(main, name, "absent")))
print(type(main.__loader__), main.__builtins__ is sys.modules["builtins"])
