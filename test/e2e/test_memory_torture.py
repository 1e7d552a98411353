# SPDX-License-Identifier: Apache-2.0
"""Programs that are hard on whoever counts their memory: they run as they do bare, and are measured.

SCALENE_FORKS sets how often the forking program forks (make torture: 10,000).
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest
from harness import PROGRAMS, SCALENE, bare, execute, lines

N_FORKS = int(os.environ.get("SCALENE_FORKS", "200"))
MIB = 1 << 20
LIBRARIES = pathlib.Path("/usr/lib", f"{os.uname().machine}-linux-gnu")
ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2.0"}
OPTIONS = ["--memory", "--cpu-percent-threshold", "0"]


def build(path: pathlib.Path, source: str, *options: str) -> pathlib.Path:
    subprocess.run(["gcc", "-O1", "-fno-builtin", "-w", PROGRAMS / "torture" / source, "-o", path, *options],
                   check=True, timeout=120)
    return path


@pytest.fixture(scope="session")
def library(tmp_path_factory) -> pathlib.Path:
    return build(tmp_path_factory.mktemp("torture") / "libodd.so", "odd_moments.c", "-shared", "-fPIC", "-pthread")


@pytest.fixture
def run(scalene, tmp_path):
    """Runs a program given as text, with memory measured; its result, and its lines by number."""
    def run_text(text: str, interpreter, status: int = 0, **more):
        path = tmp_path / f"torture{scalene.n_runs}.py"
        path.write_text(text)
        result = scalene.run(path, interpreter=interpreter, options=OPTIONS, **more)
        assert result.status == status, result.stderr
        return result, lines(result.profile, path)
    return run_text


def line_of(text: str, part: str) -> int:
    return 1 + text[:text.index(part)].count("\n")


# ---- odd moments ----

ODD = """
import ctypes, _ctypes
for _ in range(3):  # another time at another place
    library = ctypes.CDLL({library!r})
    assert library.threads_that_end(40)
    assert library.signals_that_allocate(100)
    assert library.signals_amid_allocations(300)
    handle = library._handle
    del library
    _ctypes.dlclose(handle)
last = ctypes.CDLL({library!r})
kept = bytearray(30 << 20)
print("done")
"""


@pytest.mark.on("3.8", "3.12", "3.13")
def test_allocations_at_odd_moments(run, interpreter, library):
    text = ODD.format(library=str(library))
    result, found = run(text, interpreter, env={**os.environ, "LD_PRELOAD": str(library)})
    assert result.stdout == "done\n"
    # 40 * 4 threads, 3 times: what each of them does is told of, and all of it was given back.
    threads = found[line_of(text, "    assert library.threads_that_end")]
    one = 70000 * 6 * 4 + 1000 * 6  # malloc, calloc, memalign, mmap, realloc's growth, 4 rounds
    assert threads["n_live_mb"] * MIB < 70000  # no block of theirs, only what Python keeps
    outside = result.profile["native_allocations_mb"]
    assert threads["n_malloc_mb"] + outside >= 0.8 * 3 * 160 * one / MIB
    assert found[line_of(text, "kept")]["n_live_mb"] == pytest.approx(30, abs=0.1)


# ---- threads without Python ----

POOL = """
import ctypes, time
native = ctypes.CDLL({library!r})
for function in (native.pool_begin, native.pool_work, native.parallel_work):
    function.argtypes = (ctypes.c_int, ctypes.c_size_t)
native.parallel_work(0, 1)  # OpenMP makes its threads
native.pool_make(4)
def in_a_function():
    native.pool_work(20, 1 << 20)
native.pool_work(10, 1 << 20)
in_a_function()
native.parallel_work(25, 1 << 20)
native.pool_begin(30, 1 << 20)
time.sleep(0.5)
"""


@pytest.mark.on("3.8", "3.11", "3.12", "3.13", "3.15")
def test_threads_without_python_work_for_the_line_that_launched_them(run, interpreter, tmp_path):
    library = build(tmp_path / "libpool.so", "pool.c", "-shared", "-fPIC", "-pthread", "-fopenmp", "-Wl,-rpath,$ORIGIN")
    openmp = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], check=True, stdout=subprocess.PIPE, text=True)
    shutil.copy(openmp.stdout.strip(), tmp_path)
    text = POOL.format(library=str(library))
    result, found = run(text, interpreter)
    # A sleeping thread has launched nothing: what is done meanwhile belongs to who made the threads.
    truth = {"    native.pool_work(20": 80, "native.pool_work(10": 40, "native.parallel_work(25": 100,
             "native.pool_make": 120}
    for part, mib in truth.items():
        assert found[line_of(text, part)]["n_malloc_mb"] == pytest.approx(mib, abs=0.1), part
    assert line_of(text, "time.sleep") not in found or found[line_of(text, "time.sleep")]["n_malloc_mb"] < 0.1


LINEAR_ALGEBRA = """
import numpy
a = numpy.ones((600, 600))
def multiply():
    return a @ a
for _ in range(30):
    multiply()
"""


@pytest.mark.on("3.9", "3.12")
def test_the_threads_of_numpys_linear_algebra_work_for_the_lines_that_call_it(run, interpreter):
    """OpenBLAS has its threads made by the import, where each maps 32 MiB, and used by the product."""
    def lines(n_threads):
        env = {**os.environ, "PYTHONPATH": interpreter.numpy, "OPENBLAS_NUM_THREADS": str(n_threads),
               "SCALENE_ALLOCATION_SAMPLING_WINDOW": "4096"}  # the import has much else that counts
        result, found = run(LINEAR_ALGEBRA, interpreter, env=env)
        assert result.profile["scalene"]["memory"]["outside"]["native_threads"]["allocated_mb"] < 0.1
        return [found[line_of(LINEAR_ALGEBRA, part)]["n_malloc_mb"] for part in ("import", "    return")]
    imported, product = lines(1)
    imported_with_threads, product_with_threads = lines(4)
    assert imported_with_threads - imported > 30
    results = 30 * 600 * 600 * 8 / MIB
    assert results < product < results + 34  # a buffer, once
    assert results < product_with_threads < results + 34 + 30  # and what it tells its threads, each time


# ---- races ----

@pytest.mark.on("3.12")
def test_sixteen_threads_that_pass_blocks_around_leave_nothing_behind(run, interpreter, library):
    text = f"import ctypes\nassert ctypes.CDLL({str(library)!r}).race_of_threads(16)\n"
    result, found = run(text, interpreter)
    memory = result.profile["scalene"]["memory"]
    live = {number: line["n_live_mb"] for number, line in found.items()}
    assert memory["outside_live_mb"] < 1 and all(mb < 1 for mb in live.values()), (live, memory)
    assert memory["samples"] > 1000


FORKS = """
import ctypes, os, sys
library = ctypes.CDLL({library!r})
c = ctypes.CDLL(None)
library.churn_begin(8)
for i in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        block = c.malloc(64 << 20)  # always exact, however dense the samples are
        library.churn_begin(0)
        os._exit(7)
    assert os.waitpid(child, 0)[1] == 7 << 8
library.churn_end()
print("done")
"""


@pytest.mark.on("3.8", "3.12")
@pytest.mark.timeout(60 + N_FORKS)
def test_forks_while_threads_allocate(scalene, interpreter, library, tmp_path):
    program = tmp_path / "forks.py"
    program.write_text(FORKS.format(library=str(library)))
    result = scalene.run(program, N_FORKS, interpreter=interpreter, options=["--memory"], timeout=50 + N_FORKS)
    assert (result.status, result.stdout) == (0, "done\n"), result.stderr
    block = lines(result.profile, program)[line_of(FORKS, "        block")]
    facts = result.profile["scalene"]
    known = (len(facts["processes"]), facts["drops"], facts["memory"]["drops"], facts["memory"]["outside"])
    # Each child once: none is missing. Small objects of the line may be sampled beside, each for a megabyte or more.
    assert N_FORKS * 64 - 32 < block["n_malloc_mb"] < N_FORKS * 64 * 1.001, known
    assert facts["memory"]["exact"]["native_mb"] >= N_FORKS * 64


# What the end of the first thread makes the libc load, a child forked at that moment has half of.
FIRST_END = """
import threading
def libraries():
    with open("/proc/self/maps") as maps:
        return {line.split()[5] for line in maps if ".so" in line}
before = libraries()
thread = threading.Thread(target=int)
thread.start()
thread.join()
threading.Event().wait(0.2)  # joined before the libc has ended it
print(libraries() - before)
"""


@pytest.mark.on("3.8", "3.9", "3.12")
def test_the_end_of_the_first_thread_loads_nothing(run, interpreter):
    """Bare it does on 3.8: one in fifty programs that fork then have children that crash."""
    assert run(FIRST_END, interpreter)[0].stdout == "set()\n"


OTHER_USER = """
import os
os.setgid(65534)
os.setuid(65534)
for _ in range(3):
    child = os.fork()
    if child == 0:
        block = bytearray(30 << 20)
        os._exit(7)
    assert os.waitpid(child, 0)[1] == 7 << 8
print([line.split()[-1] for line in open("/proc/self/maps") if line.endswith("/control\\n")][0])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.on("3.11-debian")  # which other users can read
def test_children_of_a_process_that_gave_up_its_rights(scalene, interpreter):
    result = scalene.run("-", interpreter=interpreter, options=OPTIONS, stdin=OTHER_USER)
    assert result.status == 0, result.stderr
    assert len(result.profile["scalene"]["processes"]) == 4
    block = lines(result.profile, "<stdin>")[line_of(OTHER_USER, "        block")]
    assert block["n_malloc_mb"] == pytest.approx(90, abs=0.1)
    assert not os.path.exists(os.path.dirname(result.stdout.strip()))  # the user's folder is gone, too


# ---- little shared memory ----

SCARCE = """
import time
for _ in range(40):
    kept = [bytes(40000) for _ in range(400)]
    time.sleep(0.1)
"""


@pytest.mark.on("3.12")
def test_a_ring_makes_do_with_the_shared_memory_there_is(scalene, interpreter, tmp_path):
    """700 KiB in all, of which a ring would have 4 MiB: ten times as much goes through it."""
    program = tmp_path / "scarce.py"
    program.write_text(SCARCE)
    profile = tmp_path / "scarce.json"
    # So often that each block is recorded: by itself the distance would grow on a busy machine.
    command = [SCALENE, "run", "--memory", "--allocation-sampling-window", "4096", "-o", profile,
               "--python", interpreter.path, program]
    result = execute(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                      'mount -t tmpfs -o size=700k none /dev/shm && exec "$@"', "sh", *command])
    assert result.status == 0, result.stderr
    result.profile_path = profile
    memory = result.profile["scalene"]["memory"]
    n = lines(result.profile, program)[line_of(SCARCE, "    kept")]["n_malloc_mb"] * MIB / 40033
    # Each is recorded, or said to be missing where the collector came too late.
    assert n + memory["drops"] == pytest.approx(16000, abs=20)
    assert n > 8000


# ---- other allocators ----

VOLUMES = """
import ctypes, itertools
c = ctypes.CDLL(None)
c.malloc.restype = ctypes.c_void_p
c.free.argtypes = (ctypes.c_void_p,)
kept = [bytes(4000) for _ in itertools.repeat(None, 10000)]
large = bytearray(30 << 20)
for _ in range(20):
    block = c.malloc(2 << 20)
    c.free(block)
del large
print("done")
"""


# Sizes of a list that grows to 10,000 items, step by step, without the last.
GROWTH_MB = 0.65


def check_volumes(result, found, is_native_seen: bool = True) -> None:
    assert result.stdout == "done\n"
    objects, large, native = (found[line_of(VOLUMES, part)] for part in ("kept", "large", "    block"))
    # Small objects are sampled, the faster they come the fewer of them: within five of the standard
    # errors that the profile tells, which must be small.
    truth = 10000 * (4033 + 8) / MIB
    for key in ("n_malloc", "n_live"):
        error, value = objects[f"{key}_error_mb"], objects[f"{key}_mb"]
        # What the list grew from only the libc's realloc knows; else each of its steps counts whole.
        unknown = 0 if is_native_seen or key == "n_live" else GROWTH_MB
        assert truth - 5 * error < value < truth + unknown + 5 * error and error < 5
    # Small objects of the line may be sampled, too.
    assert large["n_malloc_mb"] == pytest.approx(30, abs=0.2) and large["n_live_mb"] < 0.2
    assert native["n_malloc_mb"] == pytest.approx(40 if is_native_seen else 0, abs=0.2)
    assert native["n_live_mb"] < 0.2
    # Nothing is counted twice: neither as Python's and malloc's, nor as malloc's and mmap's.
    assert result.profile["scalene"]["memory"]["exact"]["native_mb"] < (40 if is_native_seen else 0) + 5


@pytest.mark.on("3.8", "3.12")
@pytest.mark.parametrize("name", ALLOCATORS)
def test_another_allocator_is_preloaded(run, interpreter, name):
    path = LIBRARIES / ALLOCATORS[name]
    assert path.exists(), f"{path} is not there: script/setup test"
    check_volumes(*run(VOLUMES, interpreter, env={**os.environ, "LD_PRELOAD": str(path)}))


@pytest.mark.on("3.8", "3.12")
def test_a_program_brings_its_own_malloc(run, interpreter, tmp_path):
    home = pathlib.Path(interpreter.path).resolve().parent.parent
    name = "{}.{}".format(*interpreter.version)
    python = build(tmp_path / f"python{name}", "own_malloc.c", f"-L{home}/lib", f"-Wl,-rpath,{home}/lib",
                   f"-lpython{name}", "-rdynamic", "-pthread")
    environment = {**os.environ, "PYTHONHOME": str(home)}
    own = type(interpreter)(interpreter.id, interpreter.place, str(python))
    assert bare(own, "-c", VOLUMES, env=environment).stdout == "done\n"
    check_volumes(*run(VOLUMES, own, env=environment), is_native_seen=False)


@pytest.mark.on("3.8", "3.12", "3.13")
@pytest.mark.parametrize("mode", ("malloc", "debug", "pymalloc_debug", "malloc_debug", "mimalloc"))
def test_python_is_told_to_use_another_allocator(run, interpreter, mode):
    environment = {**os.environ, "PYTHONMALLOC": mode}
    if bare(interpreter, "-c", "", env=environment).status != 0:
        assert mode == "mimalloc" and interpreter.version < (3, 13)
        return  # this Python does not know it
    check_volumes(*run(VOLUMES, interpreter, env=environment))


GROWTH = """
import itertools, sys
def grow(n):
    items = []
    for _ in itertools.repeat(None, n):
        items.append(None)
    return sys.getsizeof(items) - sys.getsizeof([])
small = sum(grow(60) for _ in itertools.repeat(None, 20000))
middle = sum(grow(200) for _ in itertools.repeat(None, 6000))
large = sum(grow(20000) for _ in itertools.repeat(None, 100))
print(small + middle + large)
"""


@pytest.mark.on("3.8", "3.12", "3.13", "3.14", "3.15")
@pytest.mark.parametrize("mode", ("default", "pymalloc_debug", "mimalloc"))
def test_a_list_that_grows_counts_what_it_has_in_the_end(run, interpreter, mode):
    """Whoever owns its blocks: not the sum of all it ever had, which is three to nine times as much."""
    if mode == "mimalloc" and interpreter.version < (3, 13):
        return  # this Python does not know it
    result, found = run(GROWTH, interpreter, env={**os.environ, "PYTHONMALLOC": mode})
    line = found[line_of(GROWTH, "        items.append")]
    # Sizes are rounded up, by a quarter at most (mimalloc).
    assert line["n_malloc_mb"] == pytest.approx(int(result.stdout) / MIB, rel=0.15, abs=5 * line["n_malloc_error_mb"])
    assert line["n_malloc_error_mb"] < 2


DEEP = """
import ctypes, os
c = ctypes.CDLL(None)
deep = ctypes.CDLL({library!r}, mode=os.RTLD_NOW | os.RTLD_DEEPBIND)
for _ in range(2):
    assert deep.race_of_threads(2)
assert deep.threads_that_end(10)
print("done")
"""


@pytest.mark.on("3.12")
def test_a_library_that_binds_past_us(run, interpreter, library):
    assert run(DEEP.format(library=str(library)), interpreter)[0].stdout == "done\n"


# ---- ways to fail: as bare ----

def told(text: str) -> str:
    """Addresses differ from run to run."""
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def fails_as_bare(scalene, interpreter, program: pathlib.Path, **more) -> dict:
    want = bare(interpreter, program, **more)
    got = scalene.run(program, interpreter=interpreter, options=["--memory"], **more)
    assert (got.status, got.stdout, told(got.own_stderr)) == (want.status, want.stdout, told(want.stderr))
    assert want.status != 0
    return got.profile


@pytest.mark.on("3.12")
@pytest.mark.parametrize("way", ("corrupt_heap", "free_twice", "free_nonsense"))
def test_a_broken_heap_ends_the_program_as_it_does_bare(scalene, interpreter, library, tmp_path, way):
    program = tmp_path / "broken.py"
    program.write_text(f"import ctypes\nkept = bytearray(30 << 20)\nctypes.CDLL({str(library)!r}).{way}()\n")
    profile = fails_as_bare(scalene, interpreter, program)
    assert lines(profile, program)[2]["n_live_mb"] == pytest.approx(30, abs=0.1)


OUT = """
import resource, sys
limit = int(open("/proc/self/statm").read().split()[0]) * 4096 + (300 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
kept = []
try:
    while True:
        kept.append(bytearray(20 << 20))
except MemoryError:
    n = len(kept)
    del kept
    print("out of memory", 10 <= n <= 15)
one = bytearray(100 << 20)
more = [bytearray(20 << 20) for _ in range(100)]
"""


@pytest.mark.on("3.8", "3.12", "3.13")
def test_a_program_that_runs_out_of_memory(scalene, interpreter, tmp_path):
    program = tmp_path / "out.py"
    program.write_text(OUT)
    profile = fails_as_bare(scalene, interpreter, program)
    found = lines(profile, program)
    assert found[line_of(OUT, "        kept.append")]["n_malloc_mb"] == pytest.approx(280, abs=41)
    assert profile["scalene"]["memory"]["exact"]["python_mb"] < 1000  # what was refused is not counted


CROWDED = """
kept = []
while True:
    kept.append(bytearray(5 << 20))
"""


@pytest.fixture
def crowded_cgroup():
    """The file that takes processes into a control group of 200 MiB, of either version."""
    first = pathlib.Path("/sys/fs/cgroup/memory")
    group = (first if first.is_dir() else first.parent) / f"scalene-test-{os.getpid()}"
    limits = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.max", "memory.swap.max")
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    found = [name for name in limits if (group / name).exists()]
    for name in found:
        (group / name).write_text("0" if "swap.max" in name else str(200 << 20))
    try:
        if not found:
            pytest.skip("control groups have no limit of memory here")
        yield group / "cgroup.procs"
    finally:
        for _ in range(100):  # its last process may still be dying
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make control groups")
@pytest.mark.on("3.8", "3.12")
def test_a_program_that_the_kernel_kills_for_its_memory(scalene, interpreter, tmp_path, crowded_cgroup):
    """Both are in the group, as in a container: the program dies, and its profile is written."""
    program, profile = tmp_path / "crowded.py", tmp_path / "crowded.json"
    program.write_text(CROWDED)
    result = execute(["sh", "-c", f'echo $$ >{crowded_cgroup} && exec "$@"', "sh", SCALENE, "run", "--memory", "-o",
                      profile, "--python", interpreter.path, program])
    assert result.status == -signal.SIGKILL, result.stderr
    result.profile_path = profile
    line = lines(result.profile, program)[line_of(CROWDED, "    kept.append")]
    assert 100 < line["n_malloc_mb"] < 220 and line["n_live_mb"] == pytest.approx(line["n_malloc_mb"], abs=0.2)


# ---- the agent's own memory ----

SOAK = """
import random
dice = random.Random(3)
kept = [None] * 300
def left(depth, n):
    return right(depth - 1, n) if depth and dice.random() < 0.5 else left(depth - 1, n) if depth else bytearray(n)
def right(depth, n):
    return left(depth - 1, n) if depth and dice.random() < 0.5 else right(depth - 1, n) if depth else bytes(n)
many = [[i] for i in range(500000)]
total = 0
while total < 3 << 30:
    n = dice.choice((300, 5000, 70000, 3000000))
    for i in range(max(1, 300000 // n)):
        kept[dice.randrange(300)] = dice.choice((left, right))(dice.randrange(14), n)
        total += n
del many, kept
with open("/proc/self/status") as file:
    print([line.split()[1] for line in file if line.startswith("VmHWM")][0])
"""


@pytest.mark.on("3.12")
def test_the_memory_of_the_agent_is_bounded(run, interpreter):
    """Gigabytes that come and go, half a million live objects, thousands of different stacks."""
    alone = int(bare(interpreter, "-c", SOAK).stdout) / 1024
    result, _ = run(SOAK, interpreter)
    assert int(result.stdout) / 1024 < alone + 32
    assert result.profile["scalene"]["memory"]["drops"] == 0


# ---- tools that watch the program, too ----

@pytest.mark.on("3.12")
def test_under_valgrind(scalene, interpreter, tmp_path):
    python = tmp_path / "python-in-valgrind"
    python.write_text(f'#!/bin/sh\nexec valgrind -q --log-file={tmp_path}/valgrind.log {interpreter.path} "$@"\n')
    python.chmod(0o755)
    code = "import time\nwhile time.process_time() < 3: x = [bytes(5000) for _ in range(100)]\nprint('done')"
    result = scalene.run("--python", python, "-c", code, options=["--memory"])
    assert (result.status, result.stdout) == (0, "done\n"), result.stderr
    assert result.profile["scalene"]["memory"]["samples"] > 0
    assert "INTERNAL ERROR" not in (tmp_path / "valgrind.log").read_text()


@pytest.mark.on("3.12")
def test_with_an_extension_built_for_the_address_sanitizer(scalene, interpreter, tmp_path):
    extension = build(tmp_path / "libwatched.so", "odd_moments.c", "-shared", "-fPIC", "-pthread", "-fsanitize=address")
    sanitizer = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, stdout=subprocess.PIPE,
                               text=True).stdout.strip()
    environment = {**os.environ, "LD_PRELOAD": os.path.realpath(sanitizer), "ASAN_OPTIONS": "detect_leaks=0"}
    code = f"import ctypes, os; ctypes.CDLL({str(extension)!r}).race_of_threads(2); print('done', 'asan' in os.environ['LD_PRELOAD'])"
    result = scalene.run("-c", code, interpreter=interpreter, options=["--memory"], env=environment)
    assert (result.status, result.stdout) == (0, "done True\n"), result.stderr
    assert result.profile["memory"]
