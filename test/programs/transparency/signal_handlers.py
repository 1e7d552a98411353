# SPDX-License-Identifier: Apache-2.0
"""Prints what is done at every signal, by Python and by the kernel."""
import signal

for number in sorted(signal.valid_signals()):
    try:
        print(int(number), signal.getsignal(number))
    except ValueError as error:
        print(int(number), error)
for line in open("/proc/self/status"):
    if line.startswith(("SigBlk", "SigIgn", "SigPnd", "ShdPnd")):
        print(line.strip())
