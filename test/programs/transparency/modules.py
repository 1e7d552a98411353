# SPDX-License-Identifier: Apache-2.0
"""Prints which modules are loaded."""
import sys

print(sorted(sys.modules))
print(sorted(sys.builtin_module_names))
