# SPDX-License-Identifier: Apache-2.0
# Everything that makes the outline of a Python file hard to see.
"""A docstring with a def inside:
def not_a_function(): pass
for nothing in it:
    pass
"""
import os, sys; import json
from collections import (OrderedDict,  # a comment
                         defaultdict as dd,
                         )
from . import *
from ..above import \
    below

if sys.version_info: import zlib

@decorator
@another(
    "with arguments", lambda x: x
)
class Outer:
    class Inner(object,
                metaclass=type):
        def method(self): return 1; pass
        async def coroutine(self):
            async for x in self:
                async with x as y:
                    await y
            else:
                pass
            # a comment after the block

        # another one
    @property

    def decorated(self,
                  a=(1, 2,
                     3)):

        for i in range(3):
            def closure():
                while True:
                    for j in ():
                        break
                    else:
                        continue
                class Local:
                    def f(self):
                        pass
            if i:
                pass
            else:
                pass
        else:
            x = """
not = indented
    for this in string: pass
"""
        return [
    k
for k in (
        1,)
        ]

def one_line(): pass
def größe(λ): return f"{λ["def x(): pass"]:{"for"}>10} {'class'!r} {{for}} \N{BULLET}"
while one_line(): break
else: pass
for i in \
        range(3):
	x = 1
        # tabs and blanks
	if x:
		def tabbed():
			pass
try:
    for a in b: pass
    else: c
except Exception:
    while 0:
        pass
else:
    def in_else():
        return rb'\'def' + b"\
for x in y:"
finally:
    lambda: (yield)
x = {
    'a': 1 if y else 2, 'for': [z for z in (1, 2)
    if z
    ],
}
async def last():
    if x:
        return
    # the end
