# SPDX-License-Identifier: Apache-2.0
"""Prints what a fixed hash seed fixes."""
import os
import sys

if "PYTHONHASHSEED" not in os.environ:
    os.environ["PYTHONHASHSEED"] = "7"
    os.execv(sys.executable, [sys.executable, __file__])
print(hash("text"), list({"a", "b", "c", "d"}), sys.flags.hash_randomization)
