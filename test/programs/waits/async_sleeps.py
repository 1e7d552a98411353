# SPDX-License-Identifier: Apache-2.0
"""An asyncio program whose tasks sleep and work: the loop waits on the line that runs it."""
import asyncio
import time

import clocks


async def task(end, pause, work):
    while time.perf_counter() < end:
        await asyncio.sleep(pause)
        clocks.spin(work)


async def all_tasks(end):
    await asyncio.gather(task(end, 0.05, 0.01), task(end, 0.08, 0.012), task(end, 0.2, 0.001))


def main(end):
    # The loop's own work is CPU time of this thread, so the wait is what is left.
    with clocks.wait("loop", "poll"):
        asyncio.run(all_tasks(end))  # @loop


clocks.run(main)
