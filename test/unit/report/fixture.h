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

static double fixture_times[] = {100.25, 100.5, 101.0625};

static struct profile_line solver_lines[] = {
    {.lineno = 12, .cost = {0.231, 0, 0, 231}},
    {.lineno = 16, .cost = {0.42, 0.055, 0, 475}},
    {.lineno = 21, .cost = {0.012, 0, 0, 12}},
    {.lineno = 22, .cost = {0.04, 1.61, 0.01, 1660}, fixture_times, LENGTH(fixture_times)},
    {.lineno = 23, .cost = {0.9, 0.1, 0.0, 1000}},
    {.lineno = 28, .cost = {0.004, 0, 0, 4}},
    {.lineno = 34, .cost = {0, 0, 0.33, 330}},
};
static struct profile_function solver_functions[] = {
    {"<module>", 1, false, {0, 0, 0.33, 330}},
    {"__init__", 10, false, {0.231, 0, 0, 231}},
    {"convert", 14, false, {0.42, 0.055, 0, 475}},
    {"Solver.solve", 18, false, {0.952, 1.71, 0.01, 2672}},
    {"naïve", 26, true, {0.004, 0, 0, 4}},
};
static struct profile_line string_lines[] = {{.lineno = 1, .cost = {0.1, 0, 0, 100}}};
static struct profile_function string_functions[] = {{"<module>", 1, false, {0.1, 0, 0, 100}}};
static struct profile_line small_lines[] = {{.lineno = 7, .cost = {0.001, 0, 0, 1}}};

static struct profile_file fixture_files[] = {
    {"/home/ann/solve/solver.py",
     {1.607, 1.765, 0.34, 3711},
     solver_lines,
     LENGTH(solver_lines),
     solver_functions,
     LENGTH(solver_functions)},
    {"<string>", {0.1, 0, 0, 100}, string_lines, 1, string_functions, 1},
    {"/home/ann/solve/small.py", {0.001, 0, 0, 1}, small_lines, 1, NULL, 0},
};

static const struct profile_frame solve_frames[] = {
    {"/home/ann/solve/solver.py", "<module>", 32},
    {"/home/ann/solve/solver.py", "solve", 22},
};
static const struct profile_frame sleep_frames[] = {{"/home/ann/solve/solver.py", "<module>", 34}};
static struct profile_stack fixture_stacks[] = {
    {solve_frames, 2, false, false, {0.04, 1.61, 0.01, 1660}},
    {sleep_frames, 1, true, true, {0, 0, 0.33, 330}},
};

static struct profile_thread fixture_threads[] = {
    {4242, 140120310949696, true, false, 3.7, 3700},
    {4243, 140120310949000, false, true, 0.112, 112},
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
    .cpu_s = 3.9,
    .total_cpu_s = 3.95,
    .outside_s = 0.088,
    .period_asked_s = 0.001,
    .period_reached_s = 0.001023,
    .counters =
        {[COUNTER_SAMPLES] = 3815, [COUNTER_DROPPED_RING_FULL] = 3, [COUNTER_HANDLER_NS] = 7500000},
    .n_cpus = 4,
    .threads = fixture_threads,
    .n_threads = LENGTH(fixture_threads),
}};

static const struct profile_result fixture_result = {
    .program = "/home/ann/solve/solver.py",
    .entry_folder = "/home/ann/solve",
    .program_path = "/home/ann/solve",
    .arguments = fixture_arguments,
    .start_realtime_s = 1700000000.25,
    .start_s = 100,
    .elapsed_s = 4.44,
    .total = {1.708, 1.765, 0.34, 3812},
    .outside_s = 0.088,
    .files = fixture_files,
    .n_files = LENGTH(fixture_files),
    .stacks = fixture_stacks,
    .n_stacks = LENGTH(fixture_stacks),
    .processes = fixture_processes,
    .n_processes = 1,
    .main_thread_ident = 140120310949696,
    .n_samples = 3812,
};

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
