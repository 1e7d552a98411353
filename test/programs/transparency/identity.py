# SPDX-License-Identifier: Apache-2.0
"""Prints the names it has in /proc."""
import os
import threading

for name in ("comm", "cmdline", "cgroup", "loginuid", "wchan"):
    try:
        print(name, open("/proc/self/" + name).read())
    except OSError as error:
        print(name, error)
print(open("/proc/self/task/%d/comm" % threading.get_native_id()).read())
print(os.readlink("/proc/self/exe"), os.readlink("/proc/self/cwd") == os.getcwd())
