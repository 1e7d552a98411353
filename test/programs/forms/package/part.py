# SPDX-License-Identifier: Apache-2.0
"""A module of a package, to be run by -m package.part."""
import sys

from . import __name__ as package_name

print(package_name, __name__, __package__, __spec__.name, sys.argv, sys.path)
