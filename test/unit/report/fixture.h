/* SPDX-License-Identifier: Apache-2.0 */
/* A small made-up profile with a bit of everything, and the golden files it is compared with. */
#ifndef SCALENE_TEST_REPORT_FIXTURE_H
#define SCALENE_TEST_REPORT_FIXTURE_H

#include "../check.h"
#include "report/json.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char solver_text[] =
    "# -*- coding: utf-8 -*-\n"
    "\"\"\"Solves a system of equations & says how long it took.\"\"\"\n"
    "import sys, time\n"
    "import numpy as np\n"
    "\n"
    "from . import (table,  # ours\n"
    "    shapes as forms)\n"
    "\n"
    "class Solver:\n"
    "    def __init__(self, size):\n"
    "        self.size = size\n"
    "        self.rows = [i << 2 for i in range(size)]\n"
    "\n"
    "    @staticmethod\n"
    "    def convert(rows):\n"
    "        return [list(row) for row in rows if len(row) > 0 and all(value is not None for value "
    "in row)]\n"
    "\n"
    "    def solve(self, rounds):\n"
    "        matrix = np.eye(self.size)\n"
    "        for round in range(rounds):\n"
    "            for row in self.rows:\n"
    "                matrix = matrix @ matrix / self.size\n"
    "                total = f\"{round}: {matrix[\"sum\"]}\"\n"
    "        return matrix\n"
    "\n"
    "def naïve(größe):\n"
    "\tλ = 'überzeugend 日本語'  # wide characters\n"
    "\treturn λ * größe\n"
    "\n"
    "if __name__ == '__main__':\n"
    "    solver = Solver(512)\n"
    "    solver.solve(8)\n"
    "    Solver.convert(solver.rows)\n"
    "    time.sleep(0.1)\n";

static const struct source *fixture_source(void *context, const char *path)
{
    static struct source source;
    (void)context;
    if (strcmp(path, "/home/ann/solve/solver.py") != 0)
        return NULL;
    if (source.n_lines == 0)
        source_init(&source, solver_text, sizeof solver_text - 1);
    return &source;
}

/* CPU time and samples, without any waiting. */
#define COST(python, native, system, samples)                                                      \
    {                                                                                              \
        python, native, system, samples, 0, 0                                                      \
    }

static double fixture_times[] = {100.25, 100.5, 101.0625};

#define SLEEP_COST                                                                                 \
    {                                                                                              \
        0, 0, 0.33, 10, 0.32, 32                                                                   \
    }

static struct profile_line solver_lines[] = {
    {.lineno = 12, .cost = COST(0.231, 0, 0, 231)},
    {.lineno = 16, .cost = COST(0.42, 0.055, 0, 475)},
    {.lineno = 21, .cost = COST(0.012, 0, 0, 12)},
    {.lineno = 22,
     .cost = COST(0.04, 1.61, 0.01, 1660),
     .sample_times_s = fixture_times,
     .n_sample_times = LENGTH(fixture_times),
     .core_utilization = 0.875},
    {.lineno = 23,
     .cost = COST(0.9, 0.1, 0.0, 1000),
     .waits_s = {[WAIT_GIL] = 0.31, [WAIT_STARVED] = 0.02},
     .core_utilization = 0.25},
    {.lineno = 28, .cost = COST(0.004, 0, 0, 4)},
    /* A worker's queue: apart from the time. */
    {.lineno = 33, .waits_s = {[WAIT_LOCK] = 4.2}},
    {.lineno = 34, .cost = SLEEP_COST, .waits_s = {[WAIT_SLEEP] = 0.32, [WAIT_IO] = 0.001}},
};
static struct profile_function solver_functions[] = {
    {.name = "<module>", .first_line = 1, .cost = SLEEP_COST, .waits_s = {[WAIT_SLEEP] = 0.32}},
    {.name = "__init__", .first_line = 10, .cost = COST(0.231, 0, 0, 231)},
    {.name = "convert", .first_line = 14, .cost = COST(0.42, 0.055, 0, 475)},
    {.name = "Solver.solve",
     .first_line = 18,
     .cost = COST(0.952, 1.71, 0.01, 2672),
     .waits_s = {[WAIT_GIL] = 0.31, [WAIT_STARVED] = 0.02},
     .core_utilization = 0.5},
    {.name = "naïve", .first_line = 26, .is_coroutine = true, .cost = COST(0.004, 0, 0, 4)},
};
static struct profile_line string_lines[] = {{.lineno = 1, .cost = COST(0.1, 0, 0, 100)}};
static struct profile_function string_functions[] = {
    {.name = "<module>", .first_line = 1, .cost = COST(0.1, 0, 0, 100)}};
static struct profile_line small_lines[] = {{.lineno = 7, .cost = COST(0.001, 0, 0, 1)}};

static struct profile_file fixture_files[] = {
    {"/home/ann/solve/solver.py",
     {1.607, 1.765, 0.34, 3391, 0.32, 32},
     solver_lines,
     LENGTH(solver_lines),
     solver_functions,
     LENGTH(solver_functions),
     0},
    {"<string>", COST(0.1, 0, 0, 100), string_lines, 1, string_functions, 1, 0},
    {"/home/ann/solve/small.py", COST(0.001, 0, 0, 1), small_lines, 1, NULL, 0, 0},
};

static const struct profile_frame solve_frames[] = {
    {"/home/ann/solve/solver.py", "<module>", 32},
    {"/home/ann/solve/solver.py", "solve", 22},
};
static const struct profile_frame sleep_frames[] = {{"/home/ann/solve/solver.py", "<module>", 34}};
static struct profile_stack fixture_stacks[] = {
    {solve_frames, 2, false, false, COST(0.04, 1.61, 0.01, 1660)},
    {sleep_frames, 1, true, true, SLEEP_COST},
};

static struct profile_thread fixture_threads[] = {
    {.tid = 4242,
     .ident = 140120310949696,
     .name = "MainThread",
     .is_main = true,
     .cpu_s = 3.38,
     .n_samples = 3380,
     .waits_s = {[WAIT_SLEEP] = 0.32, [WAIT_GIL] = 0.31, [WAIT_STARVED] = 0.02}},
    {.part = 1,
     .tid = 4243,
     .ident = 140120310949000,
     .name = "pool_0",
     .is_native = true,
     .cpu_s = 0.112,
     .n_samples = 112,
     .waits_s = {[WAIT_LOCK] = 4.2}},
};
static const char *const fixture_argv[] = {"python3", "solver.py", "--size", "512", NULL};
static const char *const fixture_arguments[] = {"--size", "512", NULL};
static struct profile_process fixture_processes[] = {{
    .pid = 4242,
    .parent_pid = 4200,
    .executable = "/usr/bin/python3.12",
    .arguments = fixture_argv,
    .python_version = "3.12.1",
    .python_build = "3.12.1 (main, Jan  1 2024, 00:00:00) [GCC 12.2.0]",
    .start_realtime_s = 1700000000.25,
    .start_s = 100,
    .end_s = 104.44,
    .measured_s = 104.44 - 100,
    .cpu_s = 3.58,
    .total_cpu_s = 3.63,
    .outside_s = 0.088,
    .idle_s = 0.33,
    .outside_idle_s = 0.01,
    .period_asked_s = 0.001,
    .period_reached_s = 0.001023,
    .counters = {[COUNTER_SAMPLES] = 3495,
                 [COUNTER_DROPPED_RING_FULL] = 3,
                 [COUNTER_FAULTS] = 2,
                 [COUNTER_HANDLER_NS] = 7500000},
    .n_cpus = 4,
    .waits_seen = SEEN_OUTSIDE,
    .threads = fixture_threads,
    .n_threads = LENGTH(fixture_threads),
}};

static struct profile_gil fixture_gil[] = {
    {.waiter = {"/home/ann/solve/solver.py", 23},
     .holder = {"/home/ann/solve/solver.py", 22},
     .seconds = 0.29},
    {.waiter = {"/home/ann/solve/solver.py", 23}, .seconds = 0.015},
    {.is_other = true, .seconds = 0.005},
};

/* Two threads: one on all lines but the last two, first in Python and then in native code. */
static struct profile_site fixture_sites[] = {
    {0, 12, 10, PROFILE_NONE},
    {0, 16, 14, PROFILE_NONE},
    {0, 21, 18, PROFILE_NONE},
    {0, 22, 18, 0},
    {0, 23, 18, PROFILE_NONE},
    {0, 28, 26, PROFILE_NONE},
    {0, 34, 1, 1},
    {1, 1, 1, PROFILE_NONE},
    {2, 7, 1, PROFILE_NONE},
    {0, 33, 1, PROFILE_NONE},
};
static struct profile_cell main_cells[] = {
    {0, 0, KIND_PYTHON, 0.231, 231},
    {0, 1, KIND_PYTHON, 0.42, 420},
    {0, 1, KIND_NATIVE, 0.055, 55},
    {1, 3, KIND_PYTHON, 0.04, 40},
    {1, 3, KIND_NATIVE, 0.61, 610},
    {1, 4, KIND_PYTHON, 0.9, 900},
    {1, 4, KIND_NATIVE, 0.1, 100},
    {2, 3, KIND_NATIVE, 1, 1000},
    {2, 3, KIND_SYSTEM, 0.01, 10},
    {3, 6, KIND_SYSTEM, 0.01, 10},
    {3, 6, KIND_IDLE, 0.32, 32},
    {PROFILE_NONE, 2, KIND_PYTHON, 0.012, 12},
    {PROFILE_NONE, 5, KIND_PYTHON, 0.004, 4},
};
static struct profile_cell main_rest[] = {{1, PROFILE_NONE, KIND_PYTHON, 0.016, 16}};
static struct profile_cell pool_cells[] = {
    {2, 7, KIND_PYTHON, 0.1, 100},
    {2, 8, KIND_PYTHON, 0.001, 1},
};
static struct profile_wait main_waits[] = {
    {4, WAIT_GIL, 0.31}, {4, WAIT_STARVED, 0.02}, {6, WAIT_SLEEP, 0.32}};
static struct profile_wait pool_waits[] = {{9, WAIT_LOCK, 4.2}};
static struct profile_part fixture_parts[] = {
    {.name = "MainThread",
     .n_threads = 1,
     .cpu_s = 3.38,
     .cells = main_cells,
     .n_cells = LENGTH(main_cells),
     .rest = main_rest,
     .n_rest = LENGTH(main_rest),
     .waits = main_waits,
     .n_waits = LENGTH(main_waits)},
    {.name = "pool_0",
     .n_threads = 1,
     .cpu_s = 0.112,
     .outside_s = 0.011,
     .cells = pool_cells,
     .n_cells = LENGTH(pool_cells),
     .waits = pool_waits,
     .n_waits = LENGTH(pool_waits)},
};

static const struct profile_result fixture_result = {
    .program = "/home/ann/solve/solver.py",
    .entry_folder = "/home/ann/solve",
    .program_path = "/home/ann/solve",
    .arguments = fixture_arguments,
    .start_realtime_s = 1700000000.25,
    .start_s = 100,
    .elapsed_s = 4.44,
    .total = {1.708, 1.765, 0.34, 3492, 0.32, 32},
    .outside_s = 0.088,
    .outside_idle_s = 0.01,
    .waits_s = {[WAIT_SLEEP] = 0.32, [WAIT_LOCK] = 4.2, [WAIT_GIL] = 0.31, [WAIT_STARVED] = 0.02},
    .waits_seen = SEEN_OUTSIDE,
    .gil = fixture_gil,
    .n_gil = LENGTH(fixture_gil),
    .files = fixture_files,
    .n_files = LENGTH(fixture_files),
    .stacks = fixture_stacks,
    .n_stacks = LENGTH(fixture_stacks),
    .timeline = {.slice_s = 1.28,
                 .length_s = 4.44,
                 .n_slices = 4,
                 .sites = fixture_sites,
                 .n_sites = LENGTH(fixture_sites),
                 .parts = fixture_parts,
                 .n_parts = LENGTH(fixture_parts)},
    .processes = fixture_processes,
    .n_processes = 1,
    .main_thread_ident = 140120310949696,
    .n_samples = 3492,
    .n_even = 3210,
};

/* ---- the same with memory: a leak at line 12, copies at 16, arrays at 22 ---- */

#define MIB 1048576.0

static struct profile_point leak_points[] = {
    {0.5, 0}, {1, 30 * MIB}, {2, 70 * MIB}, {3, 110 * MIB}, {4.4, 160 * MIB}};
static struct profile_point total_points[] = {
    {0, 0}, {0.5, 12 * MIB}, {2, 80 * MIB}, {4.1, 183 * MIB}, {4.2, 165 * MIB}, {4.44, 165 * MIB}};
static struct profile_point resident_points[] = {{0, 10 * MIB}, {4.1, 201 * MIB}};
static struct profile_point shared_points[] = {{0, 10 * MIB}, {4.1, 196 * MIB}};

static const struct profile_memory leak_memory = {.allocated = 160 * MIB,
                                                  .allocated_error = 2.5 * MIB,
                                                  .n_allocations = 81920,
                                                  .python = 160 * MIB,
                                                  .live = 160 * MIB,
                                                  .live_error = 2.5 * MIB,
                                                  .at_peak = 150 * MIB,
                                                  .largest = 160 * MIB,
                                                  .average = 80 * MIB,
                                                  .n_samples = 4800,
                                                  .leak_likelihood = 0.998,
                                                  .leak_s = 36 * MIB,
                                                  .leak_s_error = 1.5 * MIB,
                                                  .points = leak_points,
                                                  .n_points = LENGTH(leak_points)};
static const struct profile_memory copy_memory = {.allocated = 1.5 * MIB,
                                                  .n_allocations = 3,
                                                  .python = 1.5 * MIB,
                                                  .largest = 0.5 * MIB,
                                                  .lives = {[LIFE_AT_ONCE] = 1.5 * MIB},
                                                  .copied = 426 * MIB,
                                                  .n_samples = 400};
static const struct profile_memory array_memory = {.allocated = 412 * MIB,
                                                   .n_allocations = 103,
                                                   .live = 5 * MIB,
                                                   .at_peak = 33 * MIB,
                                                   .largest = 33 * MIB,
                                                   .average = 9 * MIB,
                                                   .lives = {100 * MIB, 7 * MIB, 300 * MIB},
                                                   .n_samples = 103};

static const struct profile_memory_stack fixture_memory_stacks[] = {
    {{solve_frames, 2, false, false, COST(0, 0, 0, 0)}, 412 * MIB},
    {{sleep_frames, 1, false, true, COST(0, 0, 0, 0)}, 161.5 * MIB},
};

static inline struct profile_heap fixture_heap(void)
{
    struct profile_heap heap = {.is_measured = true,
                                .largest_resident = 201 * MIB,
                                .largest_shared = 196 * MIB,
                                .shared = shared_points,
                                .n_shared = LENGTH(shared_points),
                                .resident = resident_points,
                                .n_resident = LENGTH(resident_points),
                                .n_stacks = LENGTH(fixture_memory_stacks),
                                .n_blocks = 5003,
                                .n_copies = 300,
                                .asked_mean = 32768,
                                .reached_mean = 40100,
                                .least_mean = 32768,
                                .most_mean = 65536};
    heap.stacks = (struct profile_memory_stack *)(uintptr_t)fixture_memory_stacks;
    heap.total = (struct profile_memory){.allocated = 580 * MIB,
                                         .n_allocations = 90000,
                                         .live = 165 * MIB,
                                         .live_error = 2.5 * MIB,
                                         .copied = 426 * MIB,
                                         .points = total_points,
                                         .n_points = LENGTH(total_points)};
    heap.outsides[OUTSIDE_START_UP] =
        (struct profile_memory){.allocated = 2 * MIB, .live = 0.5 * MIB, .at_peak = 0.5 * MIB};
    heap.outsides[OUTSIDE_THREADS] = (struct profile_memory){.allocated = 4.5 * MIB};
    heap.outside =
        (struct profile_memory){.allocated = 6.5 * MIB, .live = 0.5 * MIB, .at_peak = 0.5 * MIB};
    heap.peak = (struct profile_peak){
        4.1, 183 * MIB, 2.25 * MIB, 150 * MIB, "/home/ann/solve/solver.py", 22};
    return heap;
}

static inline struct profile_result fixture_memory_result(void)
{
    static struct profile_line lines[LENGTH(solver_lines)];
    static struct profile_function functions[LENGTH(solver_functions)];
    static struct profile_file files[LENGTH(fixture_files)];
    struct profile_result result = fixture_result;
    memcpy(lines, solver_lines, sizeof lines);
    memcpy(functions, solver_functions, sizeof functions);
    memcpy(files, fixture_files, sizeof files);
    lines[0].memory = functions[1].memory = leak_memory;
    lines[1].memory = functions[2].memory = copy_memory;
    lines[3].memory = functions[3].memory = array_memory;
    functions[1].memory.n_points = 0;
    files[0].lines = lines;
    files[0].functions = functions;
    files[0].allocated = 573.5 * MIB;
    result.files = files;
    result.heap = fixture_heap();
    return result;
}

static const struct report_options fixture_options = {
    .cpu_percent_threshold = 1,
    .source_of = fixture_source,
    .version = "0.0.0",
    .engine = "thread-timer",
    .collector_cpu_s = 0.0215,
};

/* The JSON of a profile; the caller frees it. */
static inline char *json_of(const struct profile_result *r, const struct report_options *o)
{
    char *text = NULL;
    size_t n;
    struct err e;
    FILE *out = open_memstream(&text, &n);
    CHECK(out && report_json(r, o, out, &e));
    fclose(out);
    return text;
}

/* Compares with a file of test/golden/; with UPDATE_GOLDEN in the environment, writes it. */
static inline void check_golden(const char *got, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, name);
    FILE *file = fopen(path, getenv("UPDATE_GOLDEN") ? "w+" : "r");
    CHECK(file);
    if (getenv("UPDATE_GOLDEN")) {
        fputs(got, file);
        rewind(file);
    }
    size_t n = strlen(got);
    char *want = calloc(1, n + 2);
    size_t n_read = fread(want, 1, n + 1, file);
    fclose(file);
    if (n_read != n || memcmp(want, got, n) != 0) {
        fprintf(stderr, "%s is not what was made:\n%s", path, got);
        exit(1);
    }
    free(want);
}

#endif
