# SPDX-License-Identifier: Apache-2.0
"""Prints its place among processes."""
import os

print(os.getpgrp() == os.getsid(0), os.getpgid(0) == os.getpgrp())
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError as error:
    print(error)
try:
    print(os.open("/dev/tty", os.O_RDWR))
except OSError as error:
    print(error)
