# SPDX-License-Identifier: Apache-2.0
"""Shows a program that uses all three interval timers."""
import signal
import time

KINDS = {signal.ITIMER_REAL: signal.SIGALRM, signal.ITIMER_VIRTUAL: signal.SIGVTALRM,
         signal.ITIMER_PROF: signal.SIGPROF}
counts = dict.fromkeys(KINDS.values(), 0)


def handler(number, frame):
    counts[number] += 1


for kind, number in KINDS.items():
    print(signal.getitimer(kind), signal.signal(number, handler))
    signal.setitimer(kind, 0.01, 0.01)
end = time.monotonic() + 20
while min(counts.values()) < 5 and time.monotonic() < end:
    pass
for kind, number in KINDS.items():
    signal.setitimer(kind, 0)
    print(number, counts[number] >= 5, signal.getitimer(kind))
