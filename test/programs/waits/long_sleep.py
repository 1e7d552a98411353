# SPDX-License-Identifier: Apache-2.0
"""Nothing but one long sleep (C6)."""
import time

import clocks


def main(end):
    with clocks.wait("sleep", "sleep"):
        time.sleep(end - time.perf_counter())  # @sleep


clocks.run(main)
