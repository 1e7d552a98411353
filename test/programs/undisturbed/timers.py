# SPDX-License-Identifier: Apache-2.0
"""A program that profiles itself by SIGPROF and SIGVTALRM and has an alarm clock by SIGALRM."""
import signal
import time

KINDS = {signal.ITIMER_REAL: signal.SIGALRM, signal.ITIMER_VIRTUAL: signal.SIGVTALRM,
         signal.ITIMER_PROF: signal.SIGPROF}
PERIOD_S = 0.02
counts = dict.fromkeys(KINDS.values(), 0)


def handler(number, frame):
    counts[number] += 1
    assert frame is not None


for kind, number in KINDS.items():
    signal.signal(number, handler)
    signal.setitimer(kind, PERIOD_S, PERIOD_S)
begin, cpu = time.perf_counter(), time.process_time()
while min(counts.values()) < 10 and time.perf_counter() - begin < 30:
    sum(range(1000))
wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
for kind in KINDS:
    signal.setitimer(kind, 0)
# The kernel counts these in ticks, which on a busy machine may be far off the exact clock; a signal
# that is none of the program's would come much more often than that.
for number, passed in ((signal.SIGPROF, cpu), (signal.SIGVTALRM, cpu), (signal.SIGALRM, wall)):
    print(int(number), 10 <= counts[number] <= 3 * passed / PERIOD_S + 2)
