# SPDX-License-Identifier: Apache-2.0
"""The agent inside this process: preloaded by `scalene run`, or loaded now, with a collector beside.

Two ways to measure, one interface: `Preloaded` switches what `scalene run` has begun, `Loaded` begins
and ends a run of its own. Neither imports anything but the standard library.
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import List, Optional, Sequence

from scalene import places


class Error(RuntimeError):
    """What could not be done, in one sentence."""


class _Thread(ctypes.Structure):
    """A thread as Python and as the kernel number it."""

    _fields_ = [("ident", ctypes.c_uint64), ("tid", ctypes.c_uint64)]


def _threads() -> "ctypes.Array[_Thread]":
    known = [_Thread(thread.ident or 0, getattr(thread, "native_id", None) or 0)
             for thread in threading.enumerate()]
    return (_Thread * len(known))(*known)


def _ask(pid: int, what: str) -> str:
    """scalene profile --WHAT --pid PID: the path it tells of, if any."""
    done = subprocess.run([places.program(), "profile", what, "--pid", str(pid)], check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="surrogateescape").strip()
    if "saved to " not in text:
        raise Error(text.replace("scalene: ", "", 1) or "the profile could not be had.")
    return text.split("saved to ", 1)[1]


class Preloaded:
    """The agent of `scalene run`, which measures the whole program: here it is switched."""

    def __init__(self, library: ctypes.PyDLL):
        self._library = library

    @property
    def is_on(self) -> bool:
        return bool(self._library.scalene_is_on() == 1)

    def start(self) -> None:
        self._library.scalene_switch(1)

    def stop(self) -> None:
        self._library.scalene_switch(0)

    def profile(self) -> bytes:
        """The profile of the program so far, as `scalene run` would write it now."""
        with open(_ask(os.getpid(), "--dump"), "rb") as file:
            return file.read()


# What is in this process already. PyDLL: the GIL is kept, so that nothing comes between the call and the
# switch. Made once: that takes ten times as long as a switch.
_own = ctypes.PyDLL(None)
_is_loaded = False  # whether this module has loaded the library itself


def preloaded() -> Optional[Preloaded]:
    """The agent that `scalene run` has loaded; None: this is a plain Python."""
    try:
        return Preloaded(_own) if _own.scalene_is_on() >= 0 and not _is_loaded else None
    except AttributeError:
        return None


class Loaded:
    """An agent that is loaded into this very process, and a collector that runs beside it."""

    def __init__(self, options: Sequence[str] = (), program: str = "", root: str = "",
                 outfile: str = "scalene-profile.json"):
        self.options: List[str] = list(options)
        self._program = program or _program()
        self._root = root or os.path.dirname(os.path.abspath(self._program)) or os.getcwd()
        self.folder = os.getcwd()  # where the profile goes if nobody stops the measuring
        self._outfile = os.path.abspath(outfile)
        self._pid = 0
        self._folder = ""
        self._end_folder = ""
        self._library: Optional[ctypes.PyDLL] = None
        self._profile = b""

    @property
    def is_on(self) -> bool:
        return self._pid == os.getpid()

    def start(self) -> None:
        if self.is_on:
            return
        global _is_loaded
        # One library whatever is measured: two of them in one process would not know of each other.
        library = ctypes.PyDLL(places.library("libscalene.so"))
        _is_loaded = True
        self._end_folder = tempfile.mkdtemp(prefix="scalene-api-")
        try:
            self._folder = self._start_collector()
            threads = _threads()
            begun = library.scalene_attach(os.fsencode(self._folder), threads,
                                           ctypes.c_size_t(len(threads)))
            if begun != 1:
                raise Error("this process is measured already." if begun == -1 else
                            "this Python cannot be measured: CPython 3.8 to 3.15 can.")
        except BaseException:
            shutil.rmtree(self._end_folder, ignore_errors=True)
            raise
        self._library = library
        self._pid = os.getpid()

    def _start_collector(self) -> str:
        # Measuring begins now, whatever a configuration file says of programs that are run.
        command = [places.program(), "run", "--follow", str(os.getpid()), "--on", "-o", self._outfile,
                   "--end-path", os.path.join(self._end_folder, "profile.json"), *self.options,
                   "--program-path", self._root, self._program]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT) as process:
            assert process.stdout
            said = process.stdout.read().decode(errors="surrogateescape").splitlines()
        folder = next((line for line in said if line.startswith("/")), None)
        if folder is None:
            raise Error(" ".join(said).replace("scalene: ", "", 1) or
                        "the collector could not be started.")
        for line in said:
            if line != folder:
                print(line, file=sys.stderr)  # a key of a configuration file that does not exist, for instance
        return folder

    def stop(self) -> None:
        if not self.is_on or not self._library:
            return
        self._library.scalene_detach()
        self._pid = 0
        collector = int(os.path.basename(self._folder).split("-")[1])
        try:
            with open(_ask(collector, "--end"), "rb") as file:
                self._profile = file.read()
        finally:
            shutil.rmtree(self._end_folder, ignore_errors=True)

    def profile(self) -> bytes:
        """The profile of what was measured last."""
        return self._profile


def _program() -> str:
    """What this process runs: its script, or nothing with a name."""
    path = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    return os.path.abspath(path) if path else ""
