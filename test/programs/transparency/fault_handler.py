# SPDX-License-Identifier: Apache-2.0
"""Shows faulthandler on, asked, and at a fault."""
import ctypes
import faulthandler
import os
import re
import tempfile

print(faulthandler.is_enabled())
with tempfile.TemporaryFile() as file:
    faulthandler.enable(file)
    child = os.fork()
    if child == 0:
        ctypes.string_at(0)
    print(os.waitpid(child, 0)[1] & 0x7F)
    file.seek(0)
    # The machine's stack, which newer versions print too, begins in our main and not in python's.
    text = re.sub(rb"0x[0-9a-f]+", b"0x", file.read()).decode()
    print(text.split("Extension modules")[0].split("Current thread's C stack")[0])
    faulthandler.disable()
with tempfile.TemporaryFile() as file:
    faulthandler.register(10, file)
    os.kill(os.getpid(), 10)
    file.seek(0)
    print(re.sub(rb"0x[0-9a-f]+", b"0x", file.read()).decode())
