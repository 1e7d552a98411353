# SPDX-License-Identifier: Apache-2.0
"""Files: a fifo that another process feeds, and data brought to the disk."""
import os
import subprocess
import tempfile
import time

import clocks

FEED = "while sleep 0.08; do echo x || exit; done 2>/dev/null"


def main(end):
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        feeder = subprocess.Popen(["sh", "-c", FEED], stdout=os.open(fifo, os.O_RDWR))
        with open(fifo) as lines, open(os.path.join(folder, "data"), "wb") as data:
            while time.perf_counter() < end:
                with clocks.wait("fifo", "io"):
                    lines.readline()  # @fifo
                clocks.spin(0.02)
                data.write(bytes(1 << 20))
                data.flush()
                with clocks.wait("sync", "io"):
                    os.fsync(data.fileno())  # @sync
        feeder.kill()
        feeder.wait()


clocks.run(main)
