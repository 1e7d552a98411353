# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder share: an account of their own waits, told to the file $TRUTH.

Each wait stands in a `with clocks.wait(tag, kind):` around the line that has the comment `# @tag`.
Its length is what passed by the wall clock less what the thread ran or wanted to run meanwhile, so
that a busy machine, or work in the kernel, is not taken for waiting. From the waits of all threads
follows when none of them ran, and at whose door that idle time is laid.
"""
import collections
import json
import os
import sys
import threading
import time

Wait = collections.namedtuple("Wait", "begin end tag kind is_main")
local = threading.local()
waits = []
lives = []  # when a thread began and ended
spent = {}  # CPU seconds by tag
starved = []  # seconds each thread could have run but had no CPU
threads = {}  # what each named thread knows of itself


def seconds():
    """How long the program was asked to run."""
    return float(sys.argv[1]) if len(sys.argv) > 1 else 5.0


def delay():
    """Seconds this thread could have run but had no CPU."""
    if not hasattr(local, "schedstat"):
        local.schedstat = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
    return int(os.pread(local.schedstat, 64, 0).split()[1]) / 1e9


def busy():
    """Seconds this thread ran or wanted to."""
    return time.thread_time() + delay()


class wait:
    """A wait of one of the kinds of the profile; "lock+gil": and of what the GIL took after it."""

    def __init__(self, tag, kind):
        self.tag, self.kind = tag, kind

    def __enter__(self):
        # To read the one clock may take a wait for the GIL, which is not this wait: so it is first.
        self.busy = busy()
        self.begin = time.perf_counter()

    def __exit__(self, *_):
        # What it ran or was delayed lies mostly at the end, after it was woken.
        end = max(self.begin, time.perf_counter() - (busy() - self.busy))
        is_main = threading.current_thread() is threading.main_thread()
        waits.append(Wait(self.begin, end, self.tag, self.kind, is_main))


def spin(duration, tag="spin"):  # @spin
    """Works in Python for so many CPU seconds."""
    begin = now = time.thread_time()
    while now - begin < duration:
        for i in range(300):
            i * i
        now = time.thread_time()
    spent[tag] = spent.get(tag, 0.0) + now - begin


def spawn(function, *arguments):
    """A thread whose beginning and end are known; to be joined as any other."""

    def live():
        begin, ran, delayed = time.perf_counter(), time.thread_time(), delay()
        try:
            function(*arguments)
        finally:
            end = time.perf_counter()
            lives.append((begin, end))
            cpu = time.thread_time() - ran
            starved.append(delay() - delayed)
            threads[function.__name__] = {
                "ident": threading.get_ident(),
                "cpu": cpu,
                "waits": max(0.0, end - begin - cpu - starved[-1]),
            }
            os.close(local.schedstat)

    thread = threading.Thread(target=live)
    thread.start()
    return thread


def idle():
    """Seconds in which no thread ran, by the tag they are charged to."""
    moments = []
    for begin, end in lives:
        moments += [(begin, 1, None), (end, -1, None)]
    for w in waits:
        moments += [(w.begin, -1, w), (w.end, 1, w)]
    moments.sort(key=lambda moment: moment[0])
    charged, present = dict.fromkeys((w.tag for w in waits), 0.0), []
    n_busy, before = 0, moments[0][0]
    for at, step, w in moments:
        if n_busy == 0:
            lay(at - before, present, charged)
        n_busy, before = n_busy + step, at
        if w:
            (present.append if step < 0 else present.remove)(w)
    return charged


def lay(length, present, charged):
    """Who waits for something outside the process shares an idle moment; else it is the main's."""
    outside = [w for w in present if not w.kind.startswith("lock")]
    for w in outside or [w for w in present if w.is_main]:
        charged[w.tag] += length / len(outside or [1])


def waited():
    """Seconds waited by tag and kind, over all threads."""
    sums = {}
    for w in waits:
        kinds = sums.setdefault(w.tag, {})
        kinds[w.kind] = kinds.get(w.kind, 0.0) + w.end - w.begin
    return sums


def run(main, **more):
    """Runs a program's main function until its time is over and tells the truth about it."""
    begin, cpu, delayed = time.perf_counter(), time.process_time(), delay()
    main(begin + seconds())
    end = time.perf_counter()
    lives.append((begin, end))
    starved.append(delay() - delayed)
    tell(wall=end - begin, cpu=time.process_time() - cpu, idle=idle(), waits=waited(),
         spent=spent, threads=threads, starved=sum(starved), **more)


def tell(**facts):
    with open(os.environ.get("TRUTH", os.devnull), "w") as out:
        json.dump(facts, out)
