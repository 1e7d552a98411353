# SPDX-License-Identifier: Apache-2.0
"""Ways in which services lose memory, and ways that only look like it: NAME SECONDS.

A second family of programs, written after the rule for leaks. A tagged line is @leak: it
must be told of; or @grows: it keeps what belongs to the leak (a list's own table, a record around
the data), and may be told of."""
import array
import collections
import ctypes
import functools
import heapq
import logging
import random
import sys
import threading
import time
import weakref

STEP_S = 0.02
NAME, BEGIN = sys.argv[1], time.monotonic()
ones = None
if NAME == "arrays":
    try:
        from numpy import ones
    except ImportError:
        pass
START = time.monotonic()
SECONDS = max(float(sys.argv[2]), 3 * (START - BEGIN))  # an import may take long on a busy machine
FAST, SLOW = 21000, 1050  # bytes a step: 1 MB/s and 50 KB/s


def part():
    """How much of the run is over."""
    return (time.monotonic() - START) / SECONDS


def steps():
    """Numbers in step with the clock: after a delay the missing ones come at once."""
    number = 0
    while part() < 1:
        yield number
        number += 1  # @grows
        pause_s = START + number * STEP_S - time.monotonic()
        time.sleep(pause_s if pause_s > 0 else 0)


# ---- leaks ----


class Keeper(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)  # @grows


def log_records(size):
    log = logging.getLogger("kept")
    log.propagate = False
    log.addHandler(Keeper())
    for number in steps():
        log.warning("request %d: %s", number, "x" * size)  # @leak
    return log


class Plugin:
    known = []


def class_registry(size):
    for number in steps():
        made = type("Plugin%d" % number, (Plugin,), {"table": bytes(size)})  # @leak
        Plugin.known.append(made)  # @grows


@functools.lru_cache(maxsize=None)
def answer(question, size):
    return [question] * (size // 8)  # @leak


def endless_memo(size):
    for number in steps():
        answer("question %d" % number, size)  # @grows


class Event:
    def __init__(self):
        self.listeners = []

    def listen(self, listener):
        self.listeners.append(listener)  # @grows


def listeners(size):
    event = Event()
    for number in steps():
        view = {"number": number, "text": "%d" % number * (size // 8)}  # @leak
        event.listen(lambda view=view: view)  # @grows
    return event


def arrays(size):
    results = []
    for _ in steps():
        results.append(ones(size // 8) if ones else array.array("d", bytes(size)))  # @leak
    return results


def duplicated_text(size):
    """C code that nobody gives its copy back to."""
    libc = ctypes.CDLL(None)
    libc.strdup.restype = ctypes.c_void_p
    libc.strdup.argtypes = [ctypes.c_char_p]
    text = b"x" * size
    for _ in steps():
        libc.strdup(text)  # @leak


class Figure:
    open = {}

    def __init__(self, number, size):
        self.number = number  # @grows
        self.canvas = bytearray(size)  # @leak
        self.axes = [Axes(self) for _ in range(2)]  # @grows
        Figure.open[number] = self  # @grows


class Axes:
    def __init__(self, figure):
        self.figure = figure  # @grows
        self.lines = []  # @grows


def figures(size):
    for number in steps():
        Figure(number, size)  # @grows


def fail(size):
    state = bytearray(size)  # @leak
    raise ValueError(len(state))  # @grows


def kept_errors(size):
    """Tracebacks hold the frames, and the frames their variables."""
    errors = []
    for _ in steps():
        try:
            fail(size)  # @grows
        except ValueError as error:
            errors.append(error)  # @grows
    return errors


def waiting(size):  # @grows
    data = bytearray(size)  # @leak
    yield len(data)
    yield len(data)


def unfinished_generators(size):
    started = set()
    for _ in steps():
        generator = waiting(size)  # @grows
        next(generator)  # @grows
        started.add(generator)  # @grows
    return started


def interned(size):
    names = []
    for number in steps():
        names.append(sys.intern("%d" % number * (size // 6)))  # @leak
    return names


class Sessions(dict):
    def of(self, user, size):
        if user not in self:
            self[user] = {"user": user, "basket": list(range(size // 36))}  # @leak
        return self[user]


def sessions(size):
    """Most requests are of users who are known; the others are never forgotten."""
    known = Sessions()
    for number in steps():
        known.of(number, size)  # @grows
        known.of(number // 2, size)  # @grows
    return known


def cycles_with_owner(size):
    """A tree whose every node knows its parent and which hangs on a global."""
    root = {"children": [], "parent": None}
    for _ in steps():
        node = {"children": [], "parent": root, "text": bytes(size)}  # @leak
        root["children"].append(node)  # @grows
    return root


# ---- none ----


def bounded_deque(size):
    latest = collections.deque(maxlen=int(0.2 * SECONDS / STEP_S))
    for number in steps():
        latest.append("%d" % number * (size // 4))
    return latest


class Value:
    def __init__(self, size):
        self.data = bytearray(size)


def weak_values(size):
    cache, owners = weakref.WeakValueDictionary(), []
    for number in steps():
        value = cache[number] = Value(size)
        owners.append(value)
        if len(owners) == 25:
            owners.clear()
    return cache


def connection_pool(size):
    """Fills up to its limit and is used from then on."""
    pool, busy = [], []
    for number in steps():
        if not pool and len(busy) < 0.08 * SECONDS / STEP_S:  # a third of the steps adds one
            pool.append(bytearray(size))
        if pool and number % 3:
            busy.append(pool.pop())
        elif busy:
            pool.append(busy.pop(0))
    return pool, busy


def vocabulary(size):
    words = set()
    for number in steps():
        for word in range(20):
            words.add(sys.intern("%d" % ((number * 20 + word) % 800) * (size // 60)))
    return words


def double_buffer(size):
    front = back = []
    for number in steps():
        if number % 50 == 0:
            front, back = [bytearray(size) for _ in range(20)], front
    return front, back


def generations(size):
    young, old = [], collections.deque(maxlen=30)
    for number in steps():
        young.append(bytearray(size))
        if len(young) == 20:
            old.extend(young[::7])
            young.clear()
    return young, old


def cleared(size):
    batch = []
    for _ in steps():
        batch.append({"data": bytes(size)})
        if len(batch) == 60:
            batch.clear()
    return batch


def time_to_live(size):
    cache = collections.OrderedDict()
    for number in steps():
        cache[number] = (time.monotonic(), bytearray(size))
        while time.monotonic() - next(iter(cache.values()))[0] > 0.12 * SECONDS:
            cache.popitem(last=False)
    return cache


def best_of(size):
    chance, best = random.Random(1), []
    for number in steps():
        entry = (chance.random(), number, bytearray(size))
        (heapq.heappush if len(best) < 40 else heapq.heappushpop)(best, entry)
    return best


def reloaded(size):
    """A table is built anew at half time, and once more later."""
    table, version = [bytearray(size) for _ in range(200)], 0
    for _ in steps():
        if int(part() * 3) > version:
            version += 1
            table = [bytearray(size) for _ in range(200)]
    return table


def worked_off(size):
    """A tree grows and is worked off."""
    tree = {}
    for number in steps():
        if part() < 0.6:
            tree[number] = [bytes(size // 4) for _ in range(4)]
        elif tree:
            tree.popitem()
            tree and tree.popitem()
    return tree


class Node:
    pass


def cyclic_garbage(size):
    """Only the collector of cycles frees these."""
    for _ in steps():
        for _ in range(20):
            node = Node()
            node.me, node.data = node, bytearray(size // 20)


def thread_locals(size):
    local = threading.local()

    def work():
        local.data = bytearray(10 * size)

    for _ in steps():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def fragments(size):
    """Small strings go, and the few that stay hold their pools."""
    held = [str(number) * 40 for number in range(50000)][::500]
    for _ in steps():
        [str(number) * 40 for number in range(size // 200)]
    return held


def warmed_memo(size):
    """A memo of few questions: filled in the first third, then asked again and again."""
    memo = {}
    questions = int(0.3 * SECONDS / STEP_S)
    for number in steps():
        question = number % questions
        if question not in memo:
            memo[question] = [question] * (size // 8)
    return memo


LEAKING = (log_records, class_registry, endless_memo, listeners, arrays, duplicated_text, figures,
           kept_errors, unfinished_generators, interned, sessions, cycles_with_owner)
INNOCENT = (bounded_deque, weak_values, connection_pool, vocabulary, double_buffer, generations,
            cleared, time_to_live, best_of, reloaded, worked_off, cyclic_garbage, thread_locals,
            fragments, warmed_memo)
functions = {function.__name__: function for function in LEAKING + INNOCENT}
is_slow = NAME.startswith("slow_")
held = functions[NAME[5:] if is_slow else NAME](SLOW if is_slow else FAST)  # until the very end
