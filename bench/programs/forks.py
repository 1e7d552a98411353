# SPDX-License-Identifier: Apache-2.0
"""Forks again and again; each child ends at once, or allocates a block first.

Arguments: "end" or "block", how many. Prints the CPU milliseconds of each fork in parent and child
together, the tenth and the fiftieth percentile: what else the machine does only adds to them.
"""
import os
import sys
import time

warm = [bytes(500) for _ in range(20000)]
costs = []
for _ in range(int(sys.argv[2])):
    begin = time.thread_time()
    child = os.fork()
    if child == 0:
        if sys.argv[1] == "block":
            block = bytearray(1 << 20)
        os._exit(0)
    usage = os.wait4(child, 0)[2]
    costs.append(1000 * (time.thread_time() - begin + usage.ru_utime + usage.ru_stime))
costs.sort()
print(costs[len(costs) // 10], costs[len(costs) // 2])
