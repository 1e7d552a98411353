# SPDX-License-Identifier: Apache-2.0
"""Shows a program that runs another in its own process."""
import os
import runpy
import sys

here = os.path.dirname(os.path.abspath(__file__))
print(sorted(runpy.run_path(os.path.join(here, "argv.py"), run_name="other")))
sys.argv = ["changed", "arguments"]
print(sorted(runpy.run_path(os.path.join(here, "main_module.py"), run_name="__main__")))
