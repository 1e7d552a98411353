# SPDX-License-Identifier: Apache-2.0
"""Profiling under the program's own control.

    from scalene import scalene_profiler

    scalene_profiler.start()
    ...
    profile = scalene_profiler.stop()      # .lines, .files, .save(path), .show(); the JSON as a dict

    with scalene_profiler.enable_profiling():
        ...

Under `scalene run` these switch its measuring on and off (start it with --off to have nothing but what
lies between), and the profile is written at the end as usual. In a plain Python the agent is loaded into
this process at the first start() and a collector runs beside it until stop(). Children that it forks and
Pythons that it starts meanwhile are measured, too.
"""
import atexit
import contextlib
import os
import sys
import threading
from typing import Iterator, Optional, Union

from scalene import agent
from scalene.result import Profile

_lock = threading.RLock()
_session: Union[agent.Preloaded, agent.Loaded, None] = None
_last: Optional[Profile] = None


def _find(options: "tuple[str, ...]") -> Union[agent.Preloaded, agent.Loaded]:
    found = agent.preloaded()
    return found if found else agent.Loaded(options)


def start(*options: str) -> None:
    """Begins to measure this process, or goes on. `options` are those of `scalene run`; they are for
    a plain Python, where everything is measured unless they say otherwise (--cpu-only)."""
    global _session
    with _lock:
        session = _session if _session and _session.is_on else _find(options)
        session.start()
        _session = session


def stop() -> Profile:
    """Ends measuring and gives the profile."""
    global _last
    with _lock:
        session = _session or agent.preloaded()
        if session is None:
            return _last or Profile(lambda: b"{}")
        session.stop()
        _last = Profile(session.profile)
        if isinstance(session, agent.Loaded):
            _last.json  # pylint: disable=pointless-statement  (the session may begin anew)
        return _last


@contextlib.contextmanager
def enable_profiling(*options: str) -> Iterator[Profile]:
    """Measures what is done within; the profile is there when it is over."""
    profile = Profile(lambda: last().json)
    start(*options)
    try:
        yield profile
    finally:
        stop()


def last() -> Profile:
    """What stop() gave last."""
    return _last or Profile(lambda: b"{}")


def is_profiling() -> bool:
    """Whether this process is measured at this moment."""
    session = _session or agent.preloaded()
    return bool(session and session.is_on)


@atexit.register
def _save_what_was_not_stopped() -> None:
    """A program that ends without stop() finds its profile in the file that `scalene run` writes."""
    if isinstance(_session, agent.Loaded) and _session.is_on:
        path = stop().save(os.path.join(_session.folder, "scalene-profile.json"))
        print(f"\nScalene: profile saved to {path}", file=sys.stderr)
