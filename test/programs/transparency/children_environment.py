# SPDX-License-Identifier: Apache-2.0
"""Prints the environment of every kind of child."""
import os
import subprocess
import sys

show = ["sh", "-c", "env | sort"]
print(subprocess.run(show, stdout=subprocess.PIPE).stdout.decode())
print(subprocess.run(show, stdout=subprocess.PIPE, env={"PATH": os.environ["PATH"]}).stdout.decode())
copy = dict(os.environ, LD_PRELOAD="", EXTRA="1")
print(subprocess.run(show, stdout=subprocess.PIPE, env=copy).stdout.decode())
print(os.popen("env | sort").read())
sys.stdout.flush()
print(os.system("env | sort"))
os.waitpid(os.posix_spawnp("sh", show, os.environ), 0)
os.spawnvp(os.P_WAIT, "sh", show)
