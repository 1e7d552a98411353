# SPDX-License-Identifier: Apache-2.0
"""Six straight lines of different cost in one loop, each timed in place in the very runs profiled.

Two stamps with nothing between them tell what a stamp itself costs; it is taken off every line.
"""
import re

import truth

clock = truth.clock
text = "the quick brown fox jumps over the lazy dog and runs away " * 8
digits = "9876543210" * 30
pattern = re.compile(r"[aeiou]\w")


def work(spent):
    t0 = clock()
    words = text.split()  # @split
    t1 = clock()
    table = {word: index for index, word in enumerate(words)}  # @table
    t2 = clock()
    ordered = sorted(words)  # @sorted
    t3 = clock()
    number = int(digits)  # @number
    t4 = clock()
    squares = [i * i for i in range(400)]  # @squares
    t5 = clock()
    found = pattern.findall(text)  # @found
    t6 = clock()
    t7 = clock()
    stamp = t7 - t6
    spent["split"] += t1 - t0 - stamp
    spent["table"] += t2 - t1 - stamp
    spent["sorted"] += t3 - t2 - stamp
    spent["number"] += t4 - t3 - stamp
    spent["squares"] += t5 - t4 - stamp
    spent["found"] += t6 - t5 - stamp
    return words, table, ordered, number, squares, found


def main():
    spent = dict.fromkeys(["split", "table", "sorted", "number", "squares", "found"], 0)
    end = clock() + int(truth.seconds() * truth.NS)
    count = 0
    while clock() < end:
        work(spent)
        count += 1
    truth.tell(spent={name: ns / truth.NS for name, ns in spent.items()}, count=count)


main()
