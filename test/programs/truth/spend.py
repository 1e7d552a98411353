# SPDX-License-Identifier: Apache-2.0
"""Functions that call each other and spend 1, 3, 4, 7 and 16 parts of CPU time, with callees."""
import truth

clock = truth.clock
UNIT_NS = 7300000
own = {}
inclusive = {}


def note(table, name, begin):
    table[name] = table.get(name, 0) + clock() - begin


def spend_1():  # @spend_1
    begin = clock()
    x = 1
    while clock() - begin < UNIT_NS:
        for _ in range(300):
            x = x * 5 & 0xFFFF
    note(own, "spend_1", begin)
    note(inclusive, "spend_1", begin)


def spend_3():  # @spend_3
    entry = clock()
    spend_1()
    begin = clock()
    x = 1
    while clock() - begin < 2 * UNIT_NS:
        for _ in range(300):
            x = x * 5 & 0xFFFF
    note(own, "spend_3", begin)
    note(inclusive, "spend_3", entry)


def spend_4():  # @spend_4
    begin = entry = clock()
    x = 1
    while clock() - begin < UNIT_NS:
        for _ in range(300):
            x = x * 5 & 0xFFFF
    note(own, "spend_4", begin)
    spend_3()
    note(inclusive, "spend_4", entry)


def spend_7():  # @spend_7
    begin = entry = clock()
    x = 1
    while clock() - begin < 3 * UNIT_NS:
        for _ in range(300):
            x = x * 5 & 0xFFFF
    note(own, "spend_7", begin)
    spend_4()
    note(inclusive, "spend_7", entry)


def spend_16():  # @spend_16
    entry = clock()
    spend_7()
    spend_3()
    begin = clock()
    x = 1
    while clock() - begin < 6 * UNIT_NS:
        for _ in range(300):
            x = x * 5 & 0xFFFF
    note(own, "spend_16", begin)
    note(inclusive, "spend_16", entry)


def main():
    end = clock() + int(truth.seconds() * truth.NS)
    while clock() < end:
        spend_16()
    truth.tell(
        spent={name: ns / truth.NS for name, ns in own.items()},
        inclusive={name: ns / truth.NS for name, ns in inclusive.items()},
    )


main()
