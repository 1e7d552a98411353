# SPDX-License-Identifier: Apache-2.0
"""Prints the audit events of some work."""
import sys

events = []
sys.addaudithook(lambda name, arguments: events.append(name))
import colorsys  # imported here to be seen by the hook
open("/dev/null").close()
compile("1 + 1", "text", "eval")
print(colorsys.__name__, list(events))
