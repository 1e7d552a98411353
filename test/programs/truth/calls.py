# SPDX-License-Identifier: Apache-2.0
"""Pure Python that mostly calls: every way to call Python code from Python code."""
import truth


def fib(n):  # @recursion
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def recursion():  # @recursion
    return fib(13)


class Counter:  # @methods
    def __init__(self):
        self.n = 0

    def add(self, k):
        self.n += k
        return self

    def twice(self, k):
        return self.add(k).add(k)


def methods():  # @methods
    counter = Counter()
    for i in range(400):
        counter.twice(i)
    return counter.n


def named(a, b=2, *, c=3, d=4):  # @keywords
    return a + b - c + d


def keywords():  # @keywords
    x = 0
    for i in range(500):
        x = named(i, b=x & 7, c=1, d=i)
    return x


def gather(*args, **kwargs):  # @stars
    return args[0] + kwargs["k"]


def stars():  # @stars
    x, pair, names = 0, (1, 2), {"k": 5}
    for _ in range(500):
        x += gather(*pair, **names)
    return x


class Pair:  # @constructors
    def __init__(self, a, b):
        self.a = a
        self.b = b


def constructors():  # @constructors
    last = None
    for i in range(500):
        last = Pair(i, last.a if last else 0)
    return last


def adder(n):  # @closures
    def add(x):
        return x + n

    return add


def closures():  # @closures
    x = 0
    for i in range(400):
        x = adder(i & 3)(x)
    return x


def numbers(n):  # @generators
    for i in range(n):
        yield i


def evens(source):  # @generators
    for i in source:
        if not i & 1:
            yield i


def generators():  # @generators
    x = 0
    for i in evens(numbers(800)):
        x += i
    return x


PARTS = {
    "recursion": recursion,
    "methods": methods,
    "keywords": keywords,
    "stars": stars,
    "constructors": constructors,
    "closures": closures,
    "generators": generators,
}
truth.tell(spent=truth.rotate(PARTS, truth.seconds()))
