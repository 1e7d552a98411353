# SPDX-License-Identifier: Apache-2.0
"""Reads what the accuracy checks need out of a profile."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

from . import source


@dataclass
class Cost:
    """CPU time only: what was idle is left out."""

    python: float = 0.0
    native: float = 0.0
    system: float = 0.0
    samples: int = 0

    @property
    def seconds(self) -> float:
        return self.python + self.native + self.system

    def share(self, kind: str) -> float:
        """Percent of the time that is of a kind: "python" or "native"."""
        return 100.0 * getattr(self, kind) / self.seconds if self.seconds else 0.0

    def add(self, line: dict[str, Any]) -> None:
        self.python += line["cpu_seconds_python"]
        self.native += line["cpu_seconds_native"]
        self.system += line["cpu_seconds_system"] - line.get("idle_seconds", 0.0)
        self.samples += line["cpu_samples"]


@dataclass(frozen=True)
class Frame:
    path: str
    function: str  # without the classes and functions around it
    line: int


@dataclass(frozen=True)
class Stack:
    frames: tuple[Frame, ...]  # outermost first
    samples: int
    is_cut: bool
    is_merged: bool

    def has(self, function: str) -> bool:
        return any(frame.function == function for frame in self.frames)


class Profile:
    def __init__(self, path: Path) -> None:
        self.json: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        self.costs_by_folder: dict[Path, dict[str, Cost]] = {}

    @property
    def evenness(self) -> float:
        """As many samples of the same weight would tell as much: a part of those there are."""
        about = self.json["scalene"]
        return about["samples_even"] / max(about["samples"], 1)

    def distance_s(self) -> float:
        """CPU seconds from one such sample to the next."""
        about = self.json["scalene"]
        spent = sum(about[f"cpu_seconds_{kind}"] for kind in ("python", "native", "system"))
        return (spent - about["idle_seconds"]) / max(about["samples_even"], 1)

    def lines(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for path, file in self.json["files"].items():
            for line in file["lines"]:
                yield path, line

    def total(self) -> Cost:
        cost = Cost()
        for _, line in self.lines():
            cost.add(line)
        return cost

    def tagged(self, folder: Path) -> dict[str, Cost]:
        """The cost of every tag in the program's files, which lie in `folder`; read once."""
        if folder not in self.costs_by_folder:
            self.costs_by_folder[folder] = self.read_tagged(folder)
        return self.costs_by_folder[folder]

    def read_tagged(self, folder: Path) -> dict[str, Cost]:
        costs: dict[str, Cost] = {}
        for path, line in self.lines():
            tag = source.tag_of(Path(path), line["lineno"], folder)
            if tag:
                costs.setdefault(tag, Cost()).add(line)
        return costs

    def functions(self, path: Path) -> list[str]:
        file = self.json["files"].get(str(path), {"functions": []})
        return [function["line"] for function in file["functions"]]

    def outside(self) -> float:
        return self.json["scalene"]["outside_seconds"]

    def thread_seconds(self) -> dict[int, float]:
        """CPU seconds of each thread, by the number Python knows it by."""
        return {
            thread["ident"]: thread["cpu_seconds"]
            for process in self.json["scalene"]["processes"]
            for thread in process["threads"]
        }

    def stacks(self) -> list[Stack]:
        return [stack_of(frames, facts) for frames, facts in self.json["stacks"]]


def stack_of(frames: list[str], facts: dict[str, Any]) -> Stack:
    return Stack(
        tuple(frame_of(text) for text in frames),
        facts["count"],
        bool(facts.get("is_cut")),
        bool(facts.get("is_merged")),
    )


def frame_of(text: str) -> Frame:
    """A frame is written "PATH FUNCTION:LINE;", and a path may hold blanks and colons."""
    place, _, line = text.rstrip(";").rpartition(":")
    path, _, function = place.rpartition(" ")
    return Frame(path, function.rpartition(".")[2], int(line))
