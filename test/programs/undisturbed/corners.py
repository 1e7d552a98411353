# SPDX-License-Identifier: Apache-2.0
"""Goes into every corner of the library: LIBRARY. Each is as quiet as without a profiler."""
import ctypes
import sys

CLONE_VFORK = 0x4000
library = ctypes.CDLL(sys.argv[1])
for name in ("on_smallest_stack", "on_switched_stack", "generated"):
    getattr(library, name).restype = ctypes.c_uint64
print("renounced", library.renounced(), flush=True)
print("filtered", library.filtered(), flush=True)
print("limited", library.limited(), flush=True)
print("without signals to queue", library.without_signals_to_queue(), flush=True)
print("smallest stack", library.on_smallest_stack(), flush=True)
print("switched stack", library.on_switched_stack(), flush=True)
for more_bytes in (1000, 5000, 30000):
    print("below", library.written_below_stacks(ctypes.c_size_t(more_bytes)), flush=True)
print("shared memory", library.sharing_memory(0), library.sharing_memory(CLONE_VFORK), flush=True)
print("generated", library.generated(ctypes.c_uint64(200_000_000)), flush=True)
print("nested", library.nested(), flush=True)
