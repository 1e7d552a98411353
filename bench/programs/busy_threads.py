# SPDX-License-Identifier: Apache-2.0
"""argv[2] threads compress for some seconds, all at once: zlib lets the GIL go."""
import json
import os
import sys
import threading
import time
import zlib


def compress(end: float, text: bytes) -> None:
    while time.monotonic() < end:
        zlib.compress(text, 9)


def main() -> None:
    seconds, n_threads = float(sys.argv[1]), int(sys.argv[2])
    text = bytes(i * i % 251 for i in range(100_000))
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=compress, args=(end, text)) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open(os.environ["BENCH_RESULT"], "w") as file:
        json.dump({"process_cpu_s": time.process_time()}, file)


if __name__ == "__main__":
    main()
