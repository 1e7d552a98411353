# SPDX-License-Identifier: Apache-2.0
"""One thread computes for some seconds while the others, argv[2] threads in all, are parked."""
import json
import os
import sys
import threading
import time


def main() -> None:
    seconds, n_threads = float(sys.argv[1]), int(sys.argv[2])
    threading.stack_size(256 * 1024)
    gate = threading.Event()
    parked = [threading.Thread(target=gate.wait) for _ in range(n_threads - 1)]
    for thread in parked:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(1000))
    gate.set()
    for thread in parked:
        thread.join()
    with open(os.environ["BENCH_RESULT"], "w") as file:
        json.dump({"process_cpu_s": time.process_time()}, file)


if __name__ == "__main__":
    main()
