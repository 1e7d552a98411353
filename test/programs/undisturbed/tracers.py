# SPDX-License-Identifier: Apache-2.0
"""Others that look at every line: what they count is the program's, and nobody else's."""
import io
import pdb
import sys
import threading
import tracemalloc
from collections import Counter

counts = Counter()


def work(n):
    total = 0
    for i in range(n):
        total += len([j for j in range(i % 7)])
    return total


def trace(frame, event, argument):
    counts[frame.f_code.co_name, event] += 1
    return trace


def told(what):
    print(what, sorted((name, event, n) for (name, event), n in counts.items() if name != "<module>"))
    counts.clear()


def in_thread():
    thread = threading.Thread(target=work, args=(3000,))
    thread.start()
    thread.join()


sys.settrace(trace)
work(10000)
sys.settrace(None)
told("settrace")
sys.setprofile(trace)
work(10000)
sys.setprofile(None)
told("setprofile")
threading.settrace(lambda frame, event, argument: trace if frame.f_code is work.__code__ else None)
in_thread()
threading.settrace(None)
told("thread")
if hasattr(sys, "monitoring"):
    events = sys.monitoring.events
    sys.monitoring.use_tool_id(3, "test")
    sys.monitoring.register_callback(
        3, events.LINE, lambda code, line: counts.update([(code.co_name, line)]))
    sys.monitoring.set_events(3, events.LINE)
    work(10000)
    sys.monitoring.set_events(3, 0)
    told("monitoring")
tracemalloc.start()
kept = [bytearray(100) for _ in range(1000)]
print("tracemalloc", tracemalloc.get_traced_memory()[0] // 100_000)
tracemalloc.stop()
out = io.StringIO()
debugger = pdb.Pdb(stdin=io.StringIO("b work\nc\np n\nuntil\nn\nn\nn\np i\ncl 1\nc\n"), stdout=out)
debugger.use_rawinput = False
debugger.runcall(lambda: work(20))
print(out.getvalue())
