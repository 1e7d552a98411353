# SPDX-License-Identifier: Apache-2.0
"""Prints the working directory."""
import os
import sys

print(os.getcwd(), os.listdir("."), os.path.abspath("x"), os.path.dirname(__file__) == sys.path[0])
print(os.readlink("/proc/self/exe"), os.readlink("/proc/self/root"))
