# SPDX-License-Identifier: Apache-2.0
"""Does next to nothing, but long enough for a profiler that looks from outside to see it run."""
import time

END = time.perf_counter() + 0.3
while time.perf_counter() < END:
    pass
