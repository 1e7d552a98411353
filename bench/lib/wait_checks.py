# SPDX-License-Identifier: Apache-2.0
"""The checks of waits, idle time and the GIL: which program is run how, what must be told of it.

The programs account for their own waits (test/programs/waits/clocks.py). A difference is given in
points: of the whole, CPU and idle time, for what makes up the 100%; of the wall time for waits,
which stand apart from it.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence

from . import source
from .checks import SLICED, Check, Judge, Measure, at_least, shares_of, slack
from .interpreters import ROOT
from .run import Run

FOLDER = ROOT / "test" / "programs" / "waits"
TOLERANCE = 3.0
BLUR = 0.3  # points of doubt for each point of the wall time a thread had no CPU
EDGES_S = 0.06  # what passes before the program's clocks begin and after they stop, at most
LOOKS_PER_S = 100  # how often the collector looks at each thread


@dataclass
class Seen:
    """What a profile tells of the lines of a tag."""

    cpu: float = 0.0
    idle: float = 0.0
    percent: float = 0.0  # of the whole, as the reports show it
    waits: dict[str, float] = field(default_factory=dict)

    def add(self, line: dict[str, Any]) -> None:
        seconds = sum(line[f"cpu_seconds_{kind}"] for kind in ("python", "native", "system"))
        self.cpu += seconds - line["idle_seconds"]  # idle time is part of system time
        self.idle += line["idle_seconds"]
        for key in ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent"):
            self.percent += line[key]
        for kind, seconds in line["waits"].items():
            self.waits[kind] = self.waits.get(kind, 0.0) + seconds

    def waited(self, kinds: str) -> float:
        """Seconds of one kind, or of several: "sleep+gil"."""
        return sum(self.waits.get(kind, 0.0) for kind in kinds.split("+"))


def seen(run: Run) -> dict[str, Seen]:
    by_tag: dict[str, Seen] = {}
    for path, line in run.profile.lines():
        tag = source.tag_of(Path(path), line["lineno"], run.program.parent) or ""
        by_tag.setdefault(tag, Seen()).add(line)
    return by_tag


def whole(run: Run) -> float:
    """What is 100%: CPU and idle time of all lines."""
    return sum(tag.cpu + tag.idle for tag in seen(run).values()) or 1.0


def starvation(run: Run) -> float:
    """Points by which a program without a CPU may differ from what it does when it has one."""
    return 100 * BLUR * min(run.truth["starved"] / run.truth["wall"], 1.0)


def blur(run: Run) -> float:
    """Points to allow a short run of a starved program, which cannot tell its own truth: whether it
    waited or wanted to run at every moment in between nobody knows."""
    return starvation(run) if run.doubt else 0.0


def doubt(run: Run, share: float) -> float:
    """Points to allow a short run in all: it also rests on few looks."""
    looks = int(run.truth["wall"] * LOOKS_PER_S)
    return blur(run) + slack(run, min(share, 1.0), looks, SLICED)


def off(what: str, error: float, allowed: float) -> Measure:
    return Measure(what, error, -allowed, allowed)


def account(run: Run) -> list[Measure]:
    """Idle time, CPU time and waits of every tag are what the program's clocks say."""
    truth, told = run.truth, seen(run)
    true_whole = truth["cpu"] + sum(truth["idle"].values())
    seen_whole = whole(run)
    edges, allowed = 100 * EDGES_S / true_whole, TOLERANCE + doubt(run, 0.0)
    error = 100 * (seen_whole / true_whole - 1)
    measures = [Measure("whole off %", error, -allowed, allowed + edges)]
    for tag, true in truth["idle"].items():
        error = 100 * (told.get(tag, Seen()).idle / seen_whole - true / true_whole)
        measures.append(off(f"{tag} idle off", error, TOLERANCE + doubt(run, true / true_whole)))
    for tag, true in truth["spent"].items():
        error = 100 * (told.get(tag, Seen()).cpu / seen_whole - true / true_whole)
        measures.append(off(f"{tag} CPU off", error, TOLERANCE + doubt(run, true / true_whole)))
    return measures + waits(run)


def waits(run: Run) -> list[Measure]:
    told, wall = seen(run), run.truth["wall"]
    return [
        off(
            f"{tag} waits for {kind} off",
            100 * (told.get(tag, Seen()).waited(kind) - true) / wall,
            TOLERANCE + doubt(run, true / wall),
        )
        for tag, kinds in run.truth["waits"].items()
        for kind, true in kinds.items()
    ]


def each(measures_of: Any) -> Judge:
    """A judge of every run by itself."""

    def judge(runs: Sequence[Run]) -> list[Measure]:
        return [measure for run in runs for measure in measures_of(run)]

    return judge


ACCOUNT = each(account)


def free(*tags: str) -> Judge:
    """An account, and these tags cost less than one percent."""

    def measures(run: Run) -> list[Measure]:
        told, most = seen(run), 1 + blur(run) / 3
        costs = [Measure(f"{tag} costs %", told.get(tag, Seen()).percent, 0, most) for tag in tags]
        return account(run) + costs

    return each(measures)


def long_sleep(run: Run) -> list[Measure]:
    """All is system on the exact line, and nobody waited for the GIL."""
    sleep = seen(run).get("sleep", Seen())
    gil = sum(tag.waits.get("gil", 0.0) for tag in seen(run).values())
    idle_percent = 100 * sleep.idle / whole(run)
    return [
        at_least("sleep is % of all", sleep.percent, 95),
        at_least("sleep, idle, is % of all", idle_percent, 95),
        Measure("waits for the GIL, s", gil, 0, 0.01),
        *account(run),
    ]


def busy_loop(run: Run) -> list[Measure]:
    loop = seen(run).get("loop", Seen())
    idle = sum(tag.idle for tag in seen(run).values())
    return [
        at_least("loop is % of all", loop.percent, 95 - 100 * EDGES_S / whole(run)),
        Measure("idle %", 100 * idle / whole(run), 0, 2),
        *account(run),
    ]


def sockets(run: Run) -> list[Measure]:
    """Who sends and who receives share the CPU; who hears nothing waits all the time (C5)."""
    told, wall = seen(run), run.truth["wall"]
    silence = told.get("silence", Seen())
    return [
        at_least("send %", told.get("send", Seen()).percent, 25),
        at_least("receive %", told.get("receive", Seen()).percent, 25),
        Measure("silence %", silence.percent, 0, 5),
        at_least("silence waits, % of wall", 100 * silence.waited("io+gil") / wall, 95),
        *waits(run),
    ]


def gil(run: Run) -> list[Measure]:
    """Each thread waits for the GIL as long as its own clocks say, held by the other's lines."""
    told, wall = seen(run), run.truth["wall"]
    measures = account(run)
    for name in ("first", "second"):
        fact = run.truth["threads"][name]
        lines, thread = told.get(name, Seen()), thread_waits(run).get(fact["ident"], {})
        for what, waited in (("lines", lines.waits), ("thread", thread)):
            error = 100 * (waited.get("gil", 0.0) - fact["waits"]) / wall
            measures.append(off(f"{name} {what}: GIL wait off", error, TOLERANCE + doubt(run, 0.5)))
        waiting = percent(thread.get("gil", 0.0), fact["cpu"] + thread.get("gil", 0.0))
        # Half of it, unless one of them holds the GIL and has no CPU.
        around = 15 + starvation(run)
        measures.append(Measure(f"{name} waits, % of its time", waiting, 50 - around, 50 + around))
        measures += held(run, name)
    return measures


def thread_waits(run: Run) -> dict[int, dict[str, float]]:
    return {
        thread["ident"]: thread["waits"]
        for process in run.profile.json["scalene"]["processes"]
        for thread in process["threads"]
    }


def held(run: Run, waiter: str) -> list[Measure]:
    """Whose lines held the GIL while this tag's waited for it; at times it is held by nobody."""
    other, seconds = {"first": "second", "second": "first"}[waiter], {}
    for pair in run.profile.json["scalene"]["gil"]:
        if tag_at(run, pair["waiter"]) == waiter:
            holder = tag_at(run, pair["holder"])
            seconds[holder] = seconds.get(holder, 0.0) + pair["seconds"]
    unknown = seconds.pop(None, 0.0)
    known = sum(seconds.values())
    nobody = percent(unknown, known + unknown)
    return [
        at_least(f"{waiter}: % held by the other", percent(seconds.get(other, 0.0), known), 95),
        Measure(f"{waiter}: % held by nobody", nobody, 0, 10 + starvation(run)),
    ]


def percent(part: float, all_of_it: float) -> float:
    return 100 * part / all_of_it if all_of_it else 0.0


def tag_at(run: Run, place: dict[str, Any] | None) -> str | None:
    return source.tag_of(Path(place["file"]), place["line"], run.program.parent) if place else None


def parked(run: Run) -> list[Measure]:
    """A thousand threads in an event cost nothing and wait all the time."""
    told, n_threads = seen(run).get("parked", Seen()), run.truth["n_threads"]
    listed = sum(len(p["threads"]) for p in run.profile.json["scalene"]["processes"])
    mean = told.waited("lock") / n_threads
    return [
        *account_beside_start(run),
        Measure("parked costs %", told.percent, 0, 1 + 100 * START_CPU / whole(run)),
        at_least("parked waits, % of wall each", 100 * mean / run.truth["wall"], 90),
        at_least("threads", listed, n_threads),
    ]


START_CPU = 0.4  # what it takes to make a thousand threads and to end them, in CPU seconds at most


def account_beside_start(run: Run) -> list[Measure]:
    """The making of the threads comes before the program's account of its time."""
    told, true = seen(run), run.truth
    idle = told.get("sleep", Seen()).idle / true["idle"]["sleep"]
    spin = told.get("spin", Seen()).cpu / true["spent"]["spin"]
    return [
        off("sleep idle off %", 100 * (idle - 1), TOLERANCE + doubt(run, 0.5)),
        off("spin CPU off %", 100 * (spin - 1), TOLERANCE + doubt(run, 0.5)),
        *waits(run),
    ]


def nested(run: Run) -> list[Measure]:
    """Own and inclusive work of the functions by the stacks, sleeps by their lines (C1)."""
    measures, functions = account(run), run.truth["functions"]
    stacks = [stack for stack in run.profile.stacks() if stack.has("work")]
    samples = sum(stack.samples for stack in stacks) or 1
    for name, cpu in functions.items():
        own = sum(s.samples for s in stacks if caller_of(s, "work") == name)
        share = cpu / sum(functions.values())
        allowed = 10 * share + slack(run, share, samples, 1.0) + 2
        measures.append(off(f"{name} own work off", 100 * (own / samples - share), allowed))
    return measures


def caller_of(stack: Any, function: str) -> str:
    names = [frame.function for frame in stack.frames]
    return names[names.index(function) - 1]


def right_lines(run: Run) -> list[Measure]:
    return account(run) + shares_of(run, TOLERANCE, SLICED)


def waits_check(name: str, program: str, seconds: float, judge: Judge) -> Check:
    return Check(name, str(FOLDER / program), seconds, judge)


CHECKS = tuple(
    waits_check(*row)
    for row in (
        ("sleeps", "sleeps.py", 6, ACCOUNT),
        ("sleep and work (C1)", "spend_and_sleep.py", 6, each(nested)),
        ("sleeper beside work (C4)", "beside.py", 5, free("sleep", "join")),
        ("busy and idle client (C5)", "sockets.py", 5, each(sockets)),
        ("long sleep (C6)", "long_sleep.py", 5, each(long_sleep)),
        ("busy loop (C6)", "busy_loop.py", 5, each(busy_loop)),
        ("two for the GIL (C8)", "gil.py", 6, each(gil)),
        ("pipes", "pipes.py", 6, ACCOUNT),
        ("sockets", "quiet_sockets.py", 6, ACCOUNT),
        ("queues", "queues.py", 6, free("get", "parked", "join")),
        ("children", "children.py", 6, ACCOUNT),
        ("off the GIL", "off_gil.py", 8, free("join")),
        ("select, poll, epoll", "multiplex.py", 6, ACCOUNT),
        ("asyncio", "async_sleeps.py", 6, ACCOUNT),
        ("locks", "locks.py", 6, free("lock", "event", "condition", "semaphore")),
        ("files", "files.py", 6, ACCOUNT),
        ("short threads (C14)", "short_threads.py", 6, free("join")),
        ("1000 parked (C14)", "parked.py", 6, each(parked)),
        ("threads of C code (C14)", "native_threads.py", 6, free("join")),
        ("threads from before (C14)", "before.py", 5, free("join")),
        ("outlives main (C14)", "outlives.py", 5, ACCOUNT),
        ("rubbish, errors (C19)", "rubbish.py", 6, each(right_lines)),
    )
)
