# SPDX-License-Identifier: Apache-2.0
"""Child processes, waited for by their end and by what they print."""
import os
import subprocess
import time

import clocks


def main(end):
    while time.perf_counter() < end:
        clocks.spin(0.02)
        with clocks.wait("start", "child+io"):
            child = subprocess.Popen(["sleep", "0.1"])  # @start
        with clocks.wait("wait", "child"):
            child.wait()  # @wait
        with clocks.wait("start", "child+io"):
            child = subprocess.Popen(["sleep", "0.05"], stdout=subprocess.PIPE)  # @start
        with clocks.wait("output", "io"):
            child.stdout.read()  # @output
        child.communicate()
        with clocks.wait("start", "child+io"):
            pid = os.posix_spawnp("sleep", ["sleep", "0.07"], os.environ)  # @start
        with clocks.wait("waitpid", "child"):
            os.waitpid(pid, 0)  # @waitpid


clocks.run(main)
