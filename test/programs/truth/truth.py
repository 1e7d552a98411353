# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder share: CPU clocks of their own, told as JSON to the file $TRUTH.

A comment `# @name` in a program tags its line, or the whole body when it stands on a `def` or
`class`; `spent` in the JSON says how many CPU seconds the tagged lines took by the clock, `kernel`
how many of them the kernel books as its own: on a busy machine a loop that asks it for nothing is
billed for the interrupts and page reclaims of others.
"""
import json
import os
import random
import resource
import sys
import time

clock = time.thread_time_ns
NS = 1000000000
kernel_s = {}


def seconds():
    """CPU seconds the program was asked to run for."""
    return float(sys.argv[1]) if len(sys.argv) > 1 else 5.0


def rotate(parts, duration, weights=None, slice_s=0.04):
    """Gives each part CPU time in turn, for `duration` in all; returns what each really took.

    A slice lasts several sampling periods and a random time, so that samples cannot fall into
    step with it and its share is known far better than by as many independent samples.
    """
    weights = weights or {}
    spent = dict.fromkeys(parts, 0)
    end = clock() + int(duration * NS)
    while clock() < end:
        for name, part in parts.items():
            length = slice_s * weights.get(name, 1.0) * random.uniform(0.5, 1.5)
            before = booked_s()
            spent[name] += run_for(part, int(length * NS))
            kernel_s[name] = kernel_s.get(name, 0) + booked_s() - before
    return {name: ns / NS for name, ns in spent.items()}


def run_for(part, duration_ns):
    begin = now = clock()
    while now - begin < duration_ns:
        part()
        now = clock()
    return now - begin


def booked_s():
    """CPU seconds of this thread that the kernel calls its own."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_stime


def tell(**facts):
    """Writes the truth, for the test to compare the profile with."""
    facts["kernel"] = kernel_s
    with open(os.environ.get("TRUTH", os.devnull), "w") as out:
        json.dump(facts, out)
