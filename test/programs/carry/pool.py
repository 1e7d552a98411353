# SPDX-License-Identifier: Apache-2.0
"""Shells started by several threads at once: prints in how many of them the agent was found."""
import os
from concurrent.futures import ThreadPoolExecutor

COMMAND = "grep -q libscalene /proc/self/maps"

with ThreadPoolExecutor(4) as pool:
    print(sum(status == 0 for status in pool.map(os.system, [COMMAND] * 100)))
