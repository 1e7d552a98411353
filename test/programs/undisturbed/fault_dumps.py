# SPDX-License-Identifier: Apache-2.0
"""faulthandler at its work beside ours: dumps while threads run, and at a real fault at the end."""
import ctypes
import faulthandler
import sys
import tempfile
import threading
import time


def work(end):
    while time.perf_counter() < end:
        sum(range(500))


with tempfile.TemporaryFile() as file:
    faulthandler.enable()
    faulthandler.dump_traceback_later(0.1, repeat=True, file=file)
    end = time.perf_counter() + 1.0
    threads = [threading.Thread(target=work, args=(end,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    faulthandler.cancel_dump_traceback_later()
    file.seek(0)
    text = file.read().decode()
    print(text.count("Timeout (0:00:00.100000)!") >= 2, text.count(" in work") >= 2)
    sys.stdout.flush()
ctypes.string_at(0)
