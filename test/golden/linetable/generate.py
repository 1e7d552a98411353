# SPDX-License-Identifier: Apache-2.0
"""Print the line tables of some nasty functions, and what this interpreter reads from them.

    python3.X test/golden/linetable/generate.py > test/golden/linetable/3.X.txt

One code object takes three lines:

    code NAME FIRST_LINE BYTES_OF_BYTECODE
    table HEX
    lines OFFSET:LINE ...       from each offset on; "-" where instructions have no line
"""
import dis
import sys

SOURCE = '''
import functools
@functools.wraps(
    len
)
@functools.lru_cache
def decorated(a,
              b=1,
              *c):
    return (a +
            b
            if a
            else c)
def comprehension(xs):
    return [
        (x,
         y)
        for x in xs
        if x
        for y in
        range(x)
    ]
def nested(xs):
    return {x: {y for y in xs
                if y} for x in
            (z
             for z in xs)}
def backwards(f):
    f(
        1,
        f(
            2),
        f(3
          )
    )(
        4)
    return f
def loops(n):
    while n:
        n -= 1
        if n == 3:
            continue
        elif n == 5:
            break
    else:
        n = 7
    for i in range(n): pass
    return i
def handlers(f):
    try:
        f()
    except (ValueError,
            TypeError) as e:
        raise RuntimeError from e
    except OSError:
        return 1
    else:
        f(1)
    finally:
        f(
            2
        )
def managers(f):
    with f() as a, \\
         f() as b:
        with f():
            return (a,
                    b)
def generator(n):
    x = yield
    try:
        yield from (
            n)
    finally:
        yield x
async def coroutine(f):
    async with f() as a:
        async for b in a:
            await f(
                b)
    return [c async for c in f()]
def strings(a, b):
    return f"""{a
    } and {
    b}""" + \\
        "x"
def one_line(a): return a if a else -a; b = a
class Body:
    a = 1
    def method(self):
        return super(
        ).method()

    b = [a for a in
         (1, 2)]
def lambdas():
    return (lambda x:
            x +
            1), lambda: (
                None)
def big_jump():
    a = 1
''' + "\n" * 300 + '''
    b = 2
''' + "\n" * 130 + '''
    return (a,
            b)
def long_body(a):
''' + "".join("    a = a + %d; a = [a, a, a, a]\n" % i for i in range(80)) + '''
    return a
def long_line(a):
    a = [''' + ", ".join("a + %d" % i for i in range(120)) + '''
         ]
    return (
        a)
def far_back(f):
    return f(
''' + "\n" * 200 + '''
        1,
        2)
def asserts(a):
    assert a, (
        "x")
    del a
    global g
    g = 1
'''


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from code_objects(constant)


def starts(code):
    """(offset, line or None) of every run of instructions."""
    if hasattr(code, "co_lines"):
        return [(start, line) for start, end, line in code.co_lines() if start < end]
    return list(dis.findlinestarts(code))


def main():
    print("# SPDX-License-Identifier: Apache-2.0")
    print("# Line tables by CPython %d.%d; see generate.py." % sys.version_info[:2])
    for code in code_objects(compile(SOURCE, "golden.py", "exec")):
        table = code.co_lnotab if sys.version_info < (3, 10) else code.co_linetable
        print("code", code.co_name, code.co_firstlineno, len(code.co_code))
        print("table", table.hex())
        runs = ["%d:%s" % (o, "-" if line is None else line) for o, line in starts(code)]
        print("lines", " ".join(runs))


main()
