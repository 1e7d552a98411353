# SPDX-License-Identifier: Apache-2.0
"""A profile as an object: the JSON, and the parts of it that programs ask for."""
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from scalene import places


class Profile(Mapping):
    """A profile. As a mapping it is the JSON of `scalene-profile.json`, key by key.

    `read` gives the bytes of that JSON, and is called when something is first asked for.
    """

    def __init__(self, read: Callable[[], bytes]):
        self._read = read
        self._bytes: Optional[bytes] = None
        self._json: Optional[Dict[str, Any]] = None

    @classmethod
    def load(cls, path: "os.PathLike[str]") -> "Profile":
        """The profile in a file."""
        def read() -> bytes:
            with open(path, "rb") as file:
                return file.read()
        return cls(read)

    @property
    def json(self) -> bytes:
        """The profile as it is written to a file."""
        if self._bytes is None:
            self._bytes = self._read()
        return self._bytes

    def _data(self) -> Dict[str, Any]:
        if self._json is None:
            self._json = json.loads(self.json.decode() or "{}")
        return self._json

    def __getitem__(self, key: str) -> Any:
        return self._data()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data())

    def __len__(self) -> int:
        return len(self._data())

    @property
    def files(self) -> Dict[str, Dict[str, Any]]:
        """The profiled files by path."""
        return self._data().get("files", {})

    @property
    def lines(self) -> Dict[Tuple[str, int], Dict[str, Any]]:
        """Lines with something to tell, by file and number, the dearest first."""
        seen = {(path, line["lineno"]): line for path, file in self.files.items()
                for line in file["lines"] if _has_activity(line)}
        return dict(sorted(seen.items(), key=lambda item: -_percent(item[1])))

    def hottest(self, n: int = 10) -> List[Tuple[str, int, float]]:
        """The n dearest lines: file, number, percent of the time."""
        return [(path, number, round(_percent(line), 2))
                for (path, number), line in list(self.lines.items())[:n]]

    def save(self, path: "os.PathLike[str]" = "scalene-profile.json") -> str:
        """Writes the JSON; returns where."""
        with open(path, "wb") as file:
            file.write(self.json)
        return os.path.abspath(path)

    def text(self, *options: str) -> str:
        """What `scalene view --cli` shows."""
        return self._view("--cli", *options)

    def html(self) -> str:
        """The profile as one HTML page that needs nothing else; empty if this build has no page."""
        with tempfile.TemporaryDirectory(prefix="scalene-") as folder:
            self.save(os.path.join(folder, "profile.json"))
            done = subprocess.run([places.program(), "view", "--standalone", "profile.json"],
                                  cwd=folder, check=False, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            page = os.path.join(folder, "scalene-profile.html")
            if done.returncode != 0 or not os.path.exists(page):
                return ""
            with open(page, encoding="utf-8") as file:
                return file.read()

    def show(self) -> None:
        """Shows the profile in the terminal, in colour if it is one."""
        colour = "always" if sys.stdout.isatty() else "never"
        print(self.text("--color", colour), end="")

    def _view(self, *options: str) -> str:
        with tempfile.TemporaryDirectory(prefix="scalene-") as folder:
            path = self.save(os.path.join(folder, "profile.json"))
            done = subprocess.run([places.program(), "view", *options, path], check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        return done.stdout.decode(errors="replace")

    def __repr__(self) -> str:
        if not self._data():
            return "<Profile of nothing>"
        return f"<Profile of {self['program'] or 'this process'}: {self['elapsed_time_sec']:.2f} s, " \
               f"{len(self.lines)} {'line' if len(self.lines) == 1 else 'lines'}>"


def line_text(line: Dict[str, Any]) -> str:
    """The source of a line. The JSON has three characters of it in another form, as Scalene 2 has."""
    text: str = line["line"]
    for escape, character in (("\\u003c", "<"), ("\\u003e", ">"), ("\\u0026", "&")):
        text = text.replace(escape, character)
    return text.strip()


def _percent(line: Dict[str, Any]) -> float:
    return line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]


def _has_activity(line: Dict[str, Any]) -> bool:
    return _percent(line) > 0 or line["n_malloc_mb"] > 0 or line["n_copy_mb_s"] > 0
