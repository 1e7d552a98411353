# SPDX-License-Identifier: Apache-2.0
"""Which files of CPython's own tests are run, by what they lean on."""
from __future__ import annotations

# Where an agent in the process could be noticed; every area, in a few minutes an interpreter.
USUAL = {
    "signals": "signal faulthandler eintr threadsignals",
    "threads": "thread threading threading_local threadedtempfile queue sched",
    "processes": "fork1 wait3 wait4 popen subprocess posix os pty atexit "
    "multiprocessing_main_handling",
    "frames": "sys sys_settrace sys_setprofile monitoring traceback inspect dis code frame "
    "exceptions generators generator_stop coroutines asyncgen contextlib contextlib_async with "
    "bdb profile cprofile trace tracemalloc cmd_line runpy",
    "asyncio": "asyncio.test_base_events asyncio.test_events asyncio.test_tasks "
    "asyncio.test_subprocess asyncio.test_unix_events asyncio.test_streams",
    "memory": "ctypes gc weakref weakset mmap buffer memoryview",
    "waits": "select selectors epoll poll time",
    "library": "tempfile fileio json struct array",
}
# With --all: long ones, and those that lean on nothing but the language.
MORE = {
    "threads": "concurrent_futures.test_thread_pool concurrent_futures.test_future",
    "frames": "cmd_line_script",
    "memory": "capi embed",
    "waits": "socket asyncore",
    "library": "io pickle zlib dict list tuple set unicode bytes int float long re datetime "
    "functools itertools collections zipapp",
}


def names(is_all: bool) -> list[str]:
    tables = [USUAL, MORE] if is_all else [USUAL]
    words = [word for table in tables for area in table.values() for word in area.split()]
    return [f"test_{word}" for word in words]


WIDTH = max(map(len, names(is_all=True)))
