/* SPDX-License-Identifier: Apache-2.0 */
/* Records in, profile out: what every line, function and stack cost.
 *
 * Pure: the same records in the same order give the same profile. The ELF files the judge needs
 * are read through `struct profile_input.image_of`, so that tests can give others. */
#ifndef SCALENE_ANALYZE_PROFILE_H
#define SCALENE_ANALYZE_PROFILE_H

#include "wire/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what goes in ---- */

/* Which files are reported; time elsewhere goes to the innermost profiled caller's line. */
struct profile_filter {
    const char *program_path;   /* folder whose tree is profiled */
    const char *const *only;    /* NULL-ended; a path must contain one of them; NULL: no limit */
    const char *const *exclude; /* NULL-ended; a path must contain none of them */
    bool is_all;                /* every file, library or not */
    bool has_system_libraries;  /* libraries under program_path count too */
};

/* The bytes of an ELF file as mapped for reading; NULL when it cannot be had (deleted, no ELF, or
 * another build-id). Borrowed from whoever opened it, valid until the profile is freed. */
struct elf_image;
typedef const struct elf_image *(*profile_image_of)(void *context, const struct record_module *m,
                                                    const char *path);

struct profile_input {
    struct profile_filter filter;
    profile_image_of image_of; /* NULL: judge without ELF files */
    void *image_context;
    size_t max_stacks; /* 0: 10,000 */
    /* What code of this file name is called in the profile, in place of a path, and then it is
     * reported whatever the filter says; NULL, or an answer of NULL: its path. */
    const char *(*shown_as)(void *context, const char *path);
    void *shown_context;
    /* Whether the code that begins at a line of a profiled file is reported; NULL: all of it is. */
    bool (*is_wanted)(void *context, const char *path, int first_line);
    void *wanted_context;
};

/* ---- what comes out ---- */

/* Seconds of CPU and idle time, and what they rest on. python + native + system = the whole. */
struct cost {
    double python_s, native_s, system_s;
    uint64_t n_samples; /* of CPU time */
    double idle_s;      /* part of system_s: no thread of the process ran */
    uint64_t n_looks;   /* at idle moments */
};

struct profile_point {
    double time_s; /* since the start of the first process */
    double bytes;
};

/* How long memory lived that was given back before the end. */
enum profile_life {
    LIFE_AT_ONCE,   /* less than a millisecond */
    LIFE_SAME_LINE, /* given back on the line that had asked for it */
    LIFE_LONGER,
    PROFILE_LIVES,
};

/* Memory on no line, by where it belongs. */
enum profile_outside {
    OUTSIDE_LIBRARY,  /* Python code that is not profiled, called by none that is */
    OUTSIDE_START_UP, /* the main thread, before any Python code runs */
    OUTSIDE_THREADS,  /* threads that run no Python code */
    OUTSIDE_EXIT,     /* the interpreter shuts down */
    PROFILE_OUTSIDES,
};

/* Memory of a line, a function or the whole: bytes asked for, estimated from samples. Errors are
 * standard deviations. */
struct profile_memory {
    double allocated, allocated_error; /* a realloc counts what it grew by */
    double n_allocations;
    double python;                /* part of `allocated` */
    double live, live_error;      /* at the end of the process */
    double at_peak;               /* live when the whole was largest */
    double largest, average;      /* of what was live, over the run */
    double lives[PROFILE_LIVES];  /* what became of it; `live` is the rest */
    double copied;                /* moved by memcpy and kin */
    uint64_t n_samples;           /* what it rests on; 0: nothing was seen */
    double leak_likelihood;       /* 0: no leak */
    double leak_s, leak_s_error;  /* bytes a second */
    struct profile_point *points; /* live over time, at most 100; of lines and the whole */
    size_t n_points;
};

struct profile_line {
    int lineno;
    struct cost cost;
    double *sample_times_s; /* CLOCK_MONOTONIC, ascending, thinned to at most 500 */
    size_t n_sample_times;
    double waits_s[WAIT_KINDS]; /* of all threads here; apart from the cost */
    double core_utilization;    /* 0..1: share of all CPUs that was busy with it while it ran */
    struct profile_memory memory;
};

struct profile_function {
    const char *name; /* qualified; comprehensions belong to the function around them */
    int first_line;
    bool is_coroutine;
    struct cost cost;
    double waits_s[WAIT_KINDS];
    double core_utilization;
    struct profile_memory memory;
};

struct profile_file {
    const char *path; /* absolute where the target's own name was */
    struct cost cost;
    struct profile_line *lines; /* only lines with something, by number */
    size_t n_lines;
    struct profile_function *functions; /* by first line */
    size_t n_functions;
    double allocated; /* bytes, on all its lines */
};

struct profile_frame {
    const char *path;
    const char *function;
    int line;
};

struct profile_stack {
    const struct profile_frame *frames; /* outermost first */
    size_t n_frames;
    bool is_cut;    /* outer frames are missing: the stack was too deep */
    bool is_merged; /* stands for several small stacks that begin with these frames */
    struct cost cost;
};

/* Stacks by what they allocated. */
struct profile_memory_stack {
    struct profile_stack stack; /* without cost */
    double allocated;
};

/* The moment when most was live, and the allocation that made it so. */
struct profile_peak {
    double time_s, bytes, error, python; /* error: a standard deviation; python: part of bytes */
    const char *path;                    /* NULL: on no line */
    int line;
};

struct profile_heap {
    bool is_measured;
    struct profile_memory total;   /* of all processes, on lines and on none */
    struct profile_memory outside; /* on no line; the sum of the next */
    struct profile_memory outsides[PROFILE_OUTSIDES];
    struct profile_peak peak;
    struct profile_point *resident; /* what the processes really occupy, over time */
    size_t n_resident;
    struct profile_point *shared; /* the same (PSS), with what they share counted once */
    size_t n_shared;
    double largest_resident, largest_shared;
    struct profile_memory_stack *stacks; /* the largest first */
    size_t n_stacks;
    uint64_t n_blocks, n_copies;    /* sampled */
    uint64_t asked_mean;            /* bytes between samples as asked for */
    uint64_t least_mean, most_mean; /* the densest and the sparsest there was */
    double reached_mean;            /* on average, of blocks that were not all taken; 0: none */
};

struct profile_thread {
    uint32_t part; /* of struct profile_timeline: where its time is */
    uint32_t tid;
    uint64_t ident;
    const char *name;
    bool is_main, is_native; /* native: never seen with a Python frame */
    double cpu_s;
    uint64_t n_samples;
    double waits_s[WAIT_KINDS];
};

struct profile_place {
    const char *path; /* NULL: unknown */
    int line;
};

/* How long threads at one line waited for the GIL while a thread at another held it. */
struct profile_gil {
    struct profile_place waiter, holder;
    bool is_other; /* stands for all pairs that are too small to be kept apart */
    double seconds;
};

/* How it is known what threads waited for, the best first. */
enum profile_seen {
    SEEN_NOT,           /* nobody looked, or there was nothing to see */
    SEEN_OUTSIDE,       /* by the collector */
    SEEN_INSIDE,        /* told by the agent, for the collector may not look */
    SEEN_WITHOUT_LINES, /* the collector may not look, and the agent did not tell */
};

/* Bytes; what a forked child shares with its parent is the parent's. */
struct profile_process_memory {
    double allocated, live;   /* live: at its end */
    double peak, peak_time_s; /* of the process by itself */
    double resident, shared;  /* the most it occupied, by RSS and by PSS; 0: nobody looked */
};

struct profile_process {
    uint32_t pid, parent_pid;
    const char *executable;
    const char *const *arguments;            /* NULL-ended */
    const char *python_version;              /* "3.12.1"; NULL when no interpreter was seen */
    const char *python_build;                /* sys.version in full */
    double start_realtime_s, start_s, end_s; /* seconds; start_s and end_s of CLOCK_MONOTONIC */
    double measured_s;                       /* from start to end, but for when it was off */
    double cpu_s;                            /* by the threads' own clocks, since measuring began */
    double total_cpu_s; /* of the whole process, start-up included; 0: unknown */
    double outside_s;   /* CPU time with no Python frame at all: start-up and exit */
    double idle_s;      /* none of its threads ran; on lines and outside_idle_s */
    double outside_idle_s;
    double period_asked_s, period_reached_s; /* reached: CPU seconds per sample */
    uint64_t counters[RING_COUNTERS];
    uint32_t n_cpus;
    enum profile_seen waits_seen;
    struct profile_process_memory memory;
    struct profile_thread *threads;
    size_t n_threads;
};

/* ---- whose time, and when ---- */

#define PROFILE_NONE UINT32_MAX

enum profile_kind {
    KIND_PYTHON,
    KIND_NATIVE,
    KIND_SYSTEM, /* without idle time */
    KIND_IDLE,
    PROFILE_KINDS,
};

/* A line as the end of a stack. */
struct profile_site {
    uint32_t file; /* of the result's files */
    int line, function_line;
    uint32_t stack; /* of the result's stacks, in which it may have been merged; PROFILE_NONE */
};

/* Time of one kind that a part spent at a site within a slice. */
struct profile_cell {
    uint32_t slice; /* PROFILE_NONE: small, and put together over all slices */
    uint32_t site;  /* PROFILE_NONE in `rest` */
    enum profile_kind kind;
    double seconds;
    uint64_t n_seen; /* samples; looks at idle moments */
};

struct profile_wait {
    uint32_t site;
    enum wait_kind kind;
    double seconds;
};

/* A thread; or several that are too short or too many to be told apart. */
struct profile_part {
    uint32_t process; /* of the result's processes; PROFILE_NONE: of several */
    const char *name;
    size_t n_threads;
    double cpu_s;     /* by their clocks */
    double outside_s; /* of it, on no line */
    /* All of it on lines, by slice, site and kind; cells without a slice come last. */
    struct profile_cell *cells;
    size_t n_cells;
    struct profile_cell *rest; /* when the time of cells without a slice was */
    size_t n_rest;
    struct profile_wait *waits;
    size_t n_waits;
};

/* The total is the sum of all cells: by thread, process, time, line and stack. */
struct profile_timeline {
    double slice_s;    /* the first begins with the first process */
    double length_s;   /* until the last record of any process */
    uint32_t n_slices; /* that have something */
    struct profile_site *sites;
    size_t n_sites;
    struct profile_part *parts; /* by process */
    size_t n_parts;
};

struct profile_result {
    const char *program, *entry_folder, *program_path;
    const char *const *arguments;     /* NULL-ended */
    const char *code;                 /* what "<string>" is; NULL: nothing, or several things */
    double start_realtime_s, start_s; /* of the first process */
    double elapsed_s;                 /* wall time of the first process, measured */
    struct cost total;                /* sum over all lines of all files */
    double outside_s;           /* CPU time on no line: start-up, exit, threads before any Python */
    double outside_idle_s;      /* idle time on no line */
    double waits_s[WAIT_KINDS]; /* of all threads, on lines or not */
    enum profile_seen waits_seen; /* the worst of all processes */
    struct profile_gil *gil;      /* the dearest first, at most 200 */
    size_t n_gil;
    struct profile_file *files; /* by cost, the dearest first */
    size_t n_files;
    struct profile_stack *stacks; /* by cost, the dearest first */
    size_t n_stacks;
    struct profile_heap heap;
    struct profile_timeline timeline;
    struct profile_process *processes; /* in order of appearance: [0] is the program */
    size_t n_processes;
    uint64_t main_thread_ident;
    uint64_t n_samples;
    uint64_t n_even;            /* samples of the same weight that would tell as much */
    uint64_t n_unknown_records; /* skipped: of a later version, or malformed */
};

struct profile;

struct profile *profile_new(const struct profile_input *input);
/* One record of process number `process` (as the collector numbers them). Never trusts it: a
 * malformed record is counted and skipped. */
void profile_add(struct profile *profile, uint32_t process, const struct record_header *record);
/* Ends the adding and works out the result, which lives as long as the profile. May be called
 * again after more records (a profile written while the program runs). */
const struct profile_result *profile_finish(struct profile *profile);
void profile_free(struct profile *profile);

#endif
