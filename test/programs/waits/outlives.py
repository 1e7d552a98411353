# SPDX-License-Identifier: Apache-2.0
"""A thread that goes on after the main thread has come to its end (C14)."""
import time

import clocks

begin, cpu = time.perf_counter(), time.process_time()


def outlive():
    end = time.perf_counter() + clocks.seconds()
    while time.perf_counter() < end:
        clocks.spin(0.02)
        with clocks.wait("sleep", "sleep"):
            time.sleep(0.03)  # @sleep


def last():
    """The main thread waits in the interpreter's own code, for all that are not daemons."""
    thread.join()
    clocks.tell(wall=time.perf_counter() - begin, cpu=time.process_time() - cpu, idle=clocks.idle(),
                waits=clocks.waited(), spent=clocks.spent,
                threads=clocks.threads, starved=sum(clocks.starved))


thread = clocks.spawn(outlive)
clocks.threading.Thread(target=last).start()
