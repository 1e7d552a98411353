# SPDX-License-Identifier: Apache-2.0
"""Prints hooks of tracers, profilers, debuggers and audits."""
import gc
import sys
import threading

print(sys.gettrace(), sys.getprofile(), threading._trace_hook, threading._profile_hook)
for name in ("excepthook", "displayhook", "unraisablehook", "breakpointhook"):
    print(getattr(sys, name) is getattr(sys, "__" + name + "__"))
if hasattr(sys, "monitoring"):
    print([sys.monitoring.get_tool(tool) for tool in range(6)])
print(gc.isenabled(), gc.get_threshold(), gc.callbacks, gc.get_freeze_count(), gc.get_debug())
