# SPDX-License-Identifier: Apache-2.0
"""Every function that allocates or copies is counted once, and what is given back is not live.

A program is made with one line for each, so that the profile tells them apart. Large blocks are
recorded exactly; of small ones the estimate must lie within five standard deviations. The program
sleeps between its lines, so that it stays below the rate at which samples become rarer.
"""
import ctypes
import math
import os
import pathlib
import subprocess
from dataclasses import dataclass
from typing import Dict, List

import pytest
from harness import PROGRAMS, lines

MIB = 1 << 20
MEAN = 32768  # of the sampler: fixed, so that the error of the truth is known
# The call itself makes a few small objects on the line: one of them may be sampled, two, hardly three.
STRAY = 3.0 * MEAN
ARENA_MAP = 4 << 17
SMALL, N_SMALL = 1009, 30011
LARGE, N_LARGE = 1000003, 23
NATIVE = ("malloc", "calloc", "realloc", "realloc_null", "reallocarray", "realloc_to_nothing", "posix_memalign",
          "aligned_alloc", "memalign", "valloc", "pvalloc", "free_sized", "free_aligned_sized", "mmap", "mremap",
          "new", "new_array", "new_nothrow", "new_array_nothrow", "new_sized", "new_array_sized", "new_aligned",
          "new_aligned_sized", "new_array_aligned")
FEW = {"mmap": 2003, "mremap": 2003, "valloc": 5003, "pvalloc": 5003}  # each takes a page, or a system call
PYTHON = ("PyMem_Malloc", "PyObject_Malloc", "PyMem_RawMalloc")
COPIES = ("memcpy", "memmove", "mempcpy", "bcopy", "memccpy", "memccpy_all", "strcpy", "stpcpy", "strcat",
          "strncpy", "stpncpy", "strncat", "wmemcpy", "wmemmove", "wmempcpy", "wcscpy", "wcpcpy", "wcscat",
          "memcpy_chk", "memmove_chk", "mempcpy_chk", "strcpy_chk", "stpcpy_chk", "strcat_chk", "strncpy_chk",
          "stpncpy_chk", "strncat_chk")
COPY, N_COPIES = 1048583, 11  # a prime above the mean of copies: exact

HEAD = """
import ctypes, time
native = ctypes.CDLL({library!r})
python = ctypes.PyDLL({library!r})  # keeps the GIL
for function in (native.get, native.copy):
    function.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t)
python.get_by.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
python.release_by.argtypes = (ctypes.c_void_p,)
native.map_memory.restype = native.remap.restype = native.map_at.restype = ctypes.c_void_p
native.map_memory.argtypes = (ctypes.c_size_t,)
native.map_at.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
native.unmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
native.remap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
address = lambda name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
native.prepare()
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("allocators") / "liballocators.so"
    subprocess.run(["g++", "-std=c++17", "-O1", "-fno-builtin", "-fPIC", "-shared", "-w",
                    PROGRAMS / "allocators/allocators.cpp", "-o", path], check=True, timeout=120)
    return str(path)


class Program:
    """A program that grows line by line, and where each line stands."""

    def __init__(self, library: str):
        self.text: List[str] = HEAD.format(library=library).splitlines()
        self.numbers: Dict[str, int] = {}

    def add(self, line: str, name: str = "") -> None:
        self.text.append(line)
        if name:
            self.numbers[name] = len(self.text)

    def lines(self, scalene, interpreter, folder: pathlib.Path, **more) -> "tuple[Dict[str, dict], dict]":
        """The lines of its profile by name, and the whole profile."""
        path = folder / f"program{scalene.n_runs}.py"
        path.write_text("\n".join(self.text) + "\n")
        result = scalene.run(path, interpreter=interpreter,
                             options=["--memory", "--cpu-percent-threshold", "0",
                                      "--allocation-sampling-window", str(MEAN)], **more)
        assert result.status == 0, result.stderr
        found = lines(result.profile, path)
        return {name: found[number] for name, number in self.numbers.items() if number in found}, result.profile


@dataclass
class Truth:
    volume: float
    exact: float  # what the counters say: a realloc counts there in full
    python: float = 0


def sigma(volume: float) -> float:
    return math.sqrt(MEAN * volume)


def check_line(name: str, line: dict, truth: Truth, is_sampled: bool) -> None:
    got = line["n_malloc_mb"] * MIB
    # malloc rounds sizes up, and the old size a realloc grew from is the rounded one.
    rounding = 0.005 * truth.volume if "realloc" == name.split(":")[0] or "mremap" in name else 1
    width = STRAY + (5 * sigma(truth.volume) if is_sampled else rounding)
    assert abs(got - truth.volume) <= width, f"{name}: {got} bytes, truth {truth.volume} +- {width}"
    # Python itself keeps a map of its arenas, made on the first line that needs more of them.
    most = ARENA_MAP if truth.python else 0
    assert line["n_live_mb"] * MIB <= most, f"{name}: {line['n_live_mb']} MB live after all was freed"
    other = (STRAY + most) / truth.volume
    assert line["n_python_fraction"] == pytest.approx(truth.python, abs=other), name


def add_native(program: Program, truths: Dict[str, Truth], times: int) -> None:
    for name in NATIVE:
        for size, n in ((SMALL, FEW.get(name, N_SMALL)), (LARGE, N_LARGE)):
            key = f"{name}:{size}"
            program.add(f"assert native.get({name.encode()!r}, {size}, {n * times})", key)
            program.add("native.release_all(); time.sleep(0.1)")
            twice = name in ("realloc", "mremap")
            if name.startswith("new") and "aligned" in name:
                size = (size + 63) // 64 * 64
            truths[key] = Truth(size * n, size * n + (size // 2 * n if twice else 0))


def add_python(program: Program, truths: Dict[str, Truth], times: int) -> None:
    for name in PYTHON:
        for size, n in ((101, 300007), (SMALL, N_SMALL), (LARGE, N_LARGE)):
            key = f"{name}:{size}"
            program.add(f"python.get_by(address({name!r}), {size}, {n * times})", key)
            program.add(f"python.release_by(address({name.replace('Malloc', 'Free')!r})); time.sleep(0.1)")
            truths[key] = Truth(size * n, size * n, float("Raw" not in name))


@pytest.mark.on("3.8", "3.12", "3.13", "3.15")
def test_every_allocator_is_counted_once(scalene, interpreter, library, tmp_path):
    truths: Dict[str, Truth] = {}
    totals = []
    for times in (0, 1):
        program = Program(library)
        add_native(program, truths, times)
        add_python(program, truths, times)
        found, profile = program.lines(scalene, interpreter, tmp_path)
        totals.append(profile["scalene"]["memory"]["exact"])
    assert profile["scalene"]["memory"]["mean_most_bytes"] == MEAN, "the truth's error bars are another mean's"
    for name, truth in truths.items():
        check_line(name, found[name], truth, not name.endswith(str(LARGE)))
    for kind, is_python in (("native_mb", 0), ("python_mb", 1)):
        want = sum(truth.exact for truth in truths.values() if truth.python == is_python)
        got = (totals[1][kind] - totals[0][kind]) * MIB
        # Python itself allocates a little more or less from run to run.
        assert got == pytest.approx(want, abs=100000), f"{kind}: {got} counted, {want} allocated"


ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2.0"}

@pytest.mark.on("3.8", "3.12")
@pytest.mark.parametrize("name", ALLOCATORS)
def test_operators_of_another_allocator_are_counted_once(scalene, interpreter, library, tmp_path, name):
    """Its new and delete do not come to malloc, or some of them do."""
    path = pathlib.Path("/usr/lib", f"{os.uname().machine}-linux-gnu", ALLOCATORS[name])
    assert path.exists(), f"{path} is not there: script/setup test"
    program = Program(library)
    operators = [operator for operator in NATIVE if operator.startswith("new")]
    for operator in operators:
        program.add(f"assert native.get({operator.encode()!r}, {LARGE}, {N_LARGE})", operator)
        program.add("native.release_all()")
    if name != "mimalloc":  # which ends the program instead
        program.add("assert native.new_throws()")
    found, _ = program.lines(scalene, interpreter, tmp_path, env={**os.environ, "LD_PRELOAD": str(path)})
    for operator in operators:
        size = (LARGE + 63) // 64 * 64 if "aligned" in operator else LARGE
        check_line(operator, found[operator], Truth(size * N_LARGE, 0), is_sampled=False)


# By name: what is done with a mapping of 64 MiB at address m, and how many MiB of it stay.
PARTS = {
    "whole": ("native.unmap(m, 64 << 20)", 0),
    "shrink": ("native.unmap(m + (24 << 20), 40 << 20)", 24),
    "front": ("native.unmap(m, 10 << 20)", 54),
    "split": ("native.unmap(m + (16 << 20), 16 << 20)", 48),
    "split_and_end": ("native.unmap(m + (16 << 20), 16 << 20); native.unmap(m, 64 << 20)", 0),
    "piece_by_piece": ("[native.unmap(m + (i << 20), 1 << 20) for i in range(63)]", 1),
    "every_other": ("[native.unmap(m + (i << 20), 1 << 20) for i in range(0, 64, 2)]", 32),
    "gap": ("native.unmap(m + (20 << 20), 4 << 20); native.unmap(m + (10 << 20), 30 << 20)", 34),
    "again": ("native.unmap(m, 32 << 20); native.unmap(m, 32 << 20)", 32),
    "guarded": ("native.map_at(m, 8 << 20, 0)", 56),
    "replaced_by_memory": ("native.map_at(m, 8 << 20, 3)", 64),
    "grown": ("native.remap(m, 64 << 20, 96 << 20)", 96),
    "shrunk": ("native.remap(m, 64 << 20, 16 << 20)", 16),
    "failed": ("native.remap(m, 64 << 20, 1 << 60)", 64),
    "not_aligned": ("native.unmap(m + 1, 4096)", 64),
}
GROWN = {"grown": 32}


@pytest.mark.on("3.12")
def test_mappings_are_given_back_in_parts(scalene, interpreter, library, tmp_path):
    program = Program(library)
    for name, (action, _) in PARTS.items():
        program.add("m = native.map_memory(64 << 20)", name)
        program.add(action, f"{name}: action")
    found, _ = program.lines(scalene, interpreter, tmp_path)
    for name, (_, rest) in PARTS.items():
        action = found.get(f"{name}: action", {"n_live_mb": 0, "n_malloc_mb": 0})
        live = found[name]["n_live_mb"] + action["n_live_mb"]
        assert live == pytest.approx(rest, abs=0.1), name
        assert found[name]["n_malloc_mb"] == pytest.approx(64, abs=0.1), name
        assert action["n_malloc_mb"] == pytest.approx(GROWN.get(name, 0), abs=0.1), name


@pytest.mark.on("3.12")
def test_one_call_unmaps_several_mappings(scalene, interpreter, library, tmp_path):
    """Three neighbours, the middle one and half of each of the others go; all small ones go at once."""
    program = Program(library)
    program.add("whole = native.map_memory(96 << 20)", "around")
    program.add("native.unmap(whole, 96 << 20)")
    program.add("def put(at): return native.map_near(at, 32 << 20)")
    for i, name in enumerate(("first", "middle", "last")):
        program.add(f"assert put(whole + ({32 * i} << 20)) == whole + ({32 * i} << 20)", name)
    program.add("native.unmap(whole + (16 << 20), 64 << 20)")
    program.text.insert(HEAD.count("\n"), "native.map_near.restype = ctypes.c_void_p; "
                        "native.map_near.argtypes = (ctypes.c_void_p, ctypes.c_size_t)")
    program.numbers = {name: number + 1 for name, number in program.numbers.items()}
    found, profile = program.lines(scalene, interpreter, tmp_path)
    put = lines(profile, f"program{scalene.n_runs - 1}.py")[program.numbers["first"] - 1]
    assert found["around"]["n_live_mb"] < 0.1
    assert put["n_malloc_mb"] == pytest.approx(96, abs=0.1) and put["n_live_mb"] == pytest.approx(32, abs=0.1)


@pytest.mark.on("3.8", "3.12")
def test_every_copy_is_counted_once(scalene, interpreter, library, tmp_path):
    program = Program(library)
    for name in COPIES:
        program.add(f"assert native.copy({name.encode()!r}, {COPY}, {N_COPIES})", name)
    found, _ = program.lines(scalene, interpreter, tmp_path)
    for name in COPIES:
        wide = ctypes.sizeof(ctypes.c_wchar)
        size = COPY // wide * wide if name.startswith("w") else COPY
        # What copies a string may leave its end out.
        assert found[name]["n_copy_mb"] * MIB == pytest.approx(size * N_COPIES, abs=2 * N_COPIES), name


@pytest.mark.on("3.12")
def test_a_copy_that_does_not_fit_ends_the_program_as_it_does_bare(scalene, interpreter, tmp_path):
    code = ("import ctypes; c = ctypes.CDLL(None); to = ctypes.create_string_buffer(64)\n"
            "c.__strcpy_chk(to, b'x' * 64, 64)")
    bare = subprocess.run([interpreter.path, "-c", code], stderr=subprocess.PIPE, text=True, timeout=60)
    result = scalene.run("-c", code, interpreter=interpreter, options=["--memory"])
    assert (result.status, result.own_stderr) == (bare.returncode, bare.stderr)
    assert "buffer overflow detected" in bare.stderr and result.profile
