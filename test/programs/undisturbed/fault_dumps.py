# SPDX-License-Identifier: Apache-2.0
"""faulthandler at its work beside ours: dumps while threads run, and at a real fault at the end."""
import ctypes
import faulthandler
import sys
import tempfile
import threading
import time


is_over = False


def work():
    while not is_over:
        sum(range(500))


with tempfile.TemporaryFile() as file:
    faulthandler.enable()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    faulthandler.dump_traceback_later(0.1, repeat=True, file=file)
    time.sleep(1)
    # A dump that meets a thread on its way out reads what is no more, and that is the end, bare too.
    faulthandler.cancel_dump_traceback_later()
    is_over = True
    for thread in threads:
        thread.join()
    file.seek(0)
    text = file.read().decode()
    print(text.count("Timeout (0:00:00.100000)!") >= 2, text.count(" in work") >= 2)
    sys.stdout.flush()
ctypes.string_at(0)
