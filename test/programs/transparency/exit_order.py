# SPDX-License-Identifier: Apache-2.0
"""Shows what happens at the end, in which order."""
import atexit
import threading
import time
import weakref


class Last:
    def __del__(self):
        print("deleted")


def late():
    time.sleep(0.05)
    print("thread ends")


kept = Last()
weakref.finalize(kept, print, "finalized")
atexit.register(print, "registered first")
atexit.register(print, "registered last")
threading.Thread(target=late).start()
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
print("main ends")
