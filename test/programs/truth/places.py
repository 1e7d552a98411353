# SPDX-License-Identifier: Apache-2.0
"""Code whose line is easily got wrong: each tagged place is timed by itself, where it stands."""
import os

import truth

clock = truth.clock
numbers = list(range(1500))
few = numbers[:500]
spent = {}


def note(name, begin, end):
    spent[name] = spent.get(name, 0) + end - begin


def comprehension():
    """The element stands above the condition that runs before it: line numbers go backwards."""
    rows = [
        (a, b, clock(), sum(numbers), clock())  # @element
        for _ in range(10)
        if (a := clock()) and sum(few) and (b := clock())  # @condition
    ]
    for a, b, c, _, d in rows:
        note("condition", a, b)
        note("element", c, d)


def stamped(begin, _, end):
    note("decorator", begin, end)
    return lambda function: function


def decorators():
    @stamped(clock(), sum(numbers), clock())  # @decorator
    def decorated():
        pass

    return decorated


def lambdas():
    first = lambda: sum(numbers)  # noqa: E731  # @lambda_first
    second = lambda: (  # noqa: E731
        sum(few)  # @lambda_second
    )
    for name, function in (("lambda_first", first), ("lambda_second", second)):
        begin = clock()
        function()
        note(name, begin, clock())


class First:
    def work(self):  # @same_name_first
        total = 0
        for i in few:
            total += i & 3
        return total


class Second:
    def work(self):  # @same_name_second
        total = 0
        for i in numbers:
            total += i & 3
        return total


def same_names():
    for name, thing in (("same_name_first", First()), ("same_name_second", Second())):
        begin = clock()
        thing.work()
        note(name, begin, clock())


def twin_a(values):  # @twin_a
    total = 0
    for value in values:
        total = total * 3 + value & 4095
    return total


def twin_b(values):  # @twin_b
    total = 0
    for value in values:
        total = total * 3 + value & 4095
    return total


def twins():
    for name, twin, values in (("twin_a", twin_a, few), ("twin_b", twin_b, numbers)):
        begin = clock()
        twin(values)
        note(name, begin, clock())


def read_executed():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "executed.py")
    with open(path) as source:
        return compile(source.read(), path, "exec")


executed = read_executed()


def exec_file():
    space = {"clock": clock}
    exec(executed, space)
    spent["executed"] = spent.get("executed", 0) + space["took"]


made = compile("total = 0\nfor i in range(400):\n    total += i * i % 7\n", "<@made>", "exec")


def exec_made():
    """Code without a file: its time is on its own lines, or on the one that runs it."""
    begin = clock()
    exec(made, {})  # @made
    note("made", begin, clock())


def call_over_lines():
    begin = clock()
    total = max(
        sum(few),  # @argument_first
        # A pause for the reader; the next argument has a line of its own.
        note("argument_first", begin, clock()) or clock(),
    )
    begin = clock()
    total = min(
        total,
        sum(numbers),  # @argument_second
    )
    note("argument_second", begin, clock())


PARTS = [comprehension, decorators, lambdas, same_names, twins]
PARTS += [exec_file, exec_made, call_over_lines]
truth.rotate({part.__name__: part for part in PARTS}, truth.seconds())
truth.tell(spent={name: ns / truth.NS for name, ns in spent.items()})
