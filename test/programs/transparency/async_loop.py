# SPDX-License-Identifier: Apache-2.0
"""Shows an event loop with signals, a child and an executor."""
import asyncio
import os
import signal
import sys


async def main():
    loop = asyncio.get_running_loop()
    got = loop.create_future()
    loop.add_signal_handler(signal.SIGUSR1, got.set_result, "signal")
    loop.call_later(0.02, os.kill, os.getpid(), signal.SIGUSR1)
    print(await got, await loop.run_in_executor(None, sum, range(10)))
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(6 * 7)", stdout=-1)
    print((await child.communicate())[0], child.returncode)
    print(await asyncio.gather(*(asyncio.sleep(0.01, n) for n in range(3))))


asyncio.run(main())
