/* SPDX-License-Identifier: Apache-2.0 */
/* The records an agent writes and the program reads: layout, meaning, version.
 *
 * A recording is a stream of these records; so is what comes out of a ring. Every record begins
 * with one header word and is a multiple of 8 bytes long. Unknown kinds are skipped by their size.
 * All numbers are in the byte order of the machine; a recording is read where it was made.
 *
 *      0        4     6     8
 *      +--------+-----+-----+----------------------------------- - -
 *      |  size  | kind|flags|  the fixed part, then the variable part
 *      +--------+-----+-----+----------------------------------- - -
 *
 * Order: a code object, module or thread is described before the first sample that names it. */
#ifndef SCALENE_WIRE_RECORD_H
#define SCALENE_WIRE_RECORD_H

#include "wire/layout.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION 5u

enum record_kind {
    RECORD_PROCESS = 1, /* first record of every ring */
    RECORD_INTERPRETER, /* which Python, where its evaluation loop is, addresses for the judge */
    RECORD_MODULE,      /* an executable mapping of a file */
    RECORD_CODE,        /* a code object, sent once */
    RECORD_THREAD,      /* a thread begins to be measured */
    RECORD_THREAD_END,  /* its final CPU clock */
    RECORD_SAMPLE,      /* one sample of a running thread */
    RECORD_END,         /* written by the collector when a process is over: what was counted */
    RECORD_RUN,         /* written by the collector, first of a recording: what was asked for */
    RECORD_WAIT,        /* written by the collector, or an agent it cannot see into: a wait */
    RECORD_IDLE,        /* written by the collector: no thread of the process ran */
    RECORD_STACK,       /* a Python stack that allocates or copies, sent once */
    RECORD_ALLOC,       /* an allocation or copy that was sampled */
    RECORD_FREE,        /* a sampled block is given back */
    RECORD_RESIDENT,    /* written by the collector: memory the process really occupies */
    RECORD_SWITCH,      /* measuring is switched off or on; by the agent or the collector */
    RECORD_THREAD_NAME, /* what a thread is called, as far as is known */
};

struct record_header {
    uint32_t size; /* bytes, this header included; a multiple of 8 */
    uint16_t kind; /* enum record_kind */
    uint16_t flags;
};

/* A string of the target as it lay in its memory: n_chars characters of 1 (Latin-1), 2 or 4 bytes.
 * The characters of a record's strings follow its fixed part in the order of the fields, each
 * string padded to 8 bytes. width 0: there is none. */
struct record_string {
    uint32_t n_chars;
    uint8_t width;
    uint8_t is_cut; /* longer than RECORD_STRING_MAX characters */
    uint16_t unused;
};
#define RECORD_STRING_MAX 4096u

enum process_flag {
    PROCESS_IS_OFF = 1, /* it begins with measuring switched off */
};

/* Paths and arguments below are bytes (width 1) as the kernel gave them, not Latin-1. */
struct record_process {
    struct record_header head; /* flags: enum process_flag */
    uint64_t time_ns;          /* CLOCK_MONOTONIC when measuring began in this process */
    uint64_t realtime_ns;      /* CLOCK_REALTIME at the same moment */
    uint32_t pid, parent_pid;
    uint32_t n_cpus;    /* CPUs the process may run on */
    uint32_t period_ns; /* the sampling period that was asked for */
    uint64_t cookie_at; /* where PERF_COOKIE stands in the process's memory */
    struct record_string cwd;
    struct record_string executable;
    struct record_string arguments; /* sys.orig_argv: the arguments, each ended by a zero byte */
};

#define INTERPRETER_EVAL_PARTS 8
#define INTERPRETER_PROBES     64

/* What an address of the interpreter is to the judge (analyze/judge.c). */
enum probe_role {
    PROBE_EVAL = 1, /* _PyEval_EvalFrameDefault */
    PROBE_PYTHON,   /* entry of a call of a Python function: everything below is Python's work */
    PROBE_DISPATCH, /* passes a call on (type.__call__, vectorcall of methods, allocators...) */
    PROBE_DEALLOC,  /* _Py_Dealloc */
};

struct record_probe {
    uint64_t address;
    uint32_t role; /* enum probe_role */
    uint32_t unused;
};

struct record_interpreter {
    struct record_header head;
    uint32_t hexversion; /* as sys.hexversion */
    uint32_t n_eval_parts;
    uint32_t n_probes;
    uint32_t unused;
    struct {
        uint64_t low, high; /* run-time addresses [low, high) */
    } eval_parts[INTERPRETER_EVAL_PARTS];
    struct record_probe probes[INTERPRETER_PROBES];
    struct py_layout layout;
    struct record_string version;     /* sys.version */
    struct record_string base_prefix; /* sys.base_prefix */
    struct record_string prefix;      /* sys.prefix */
};

struct record_module {
    struct record_header head;
    uint64_t low, high; /* executable run-time addresses [low, high) */
    uint64_t bias;      /* run-time address = address in the ELF file + bias */
    uint8_t build_id[20];
    uint32_t n_build_id; /* 0: none found */
    struct record_string path;
};

/* Followed by the strings, then line_table_bytes of line table padded to 8. */
struct record_code {
    struct record_header head;
    uint32_t id; /* from 1; unique in its process */
    int32_t first_line;
    uint32_t code_bytes; /* length of the bytecode */
    uint32_t co_flags;
    uint32_t line_table_bytes; /* format by the interpreter's version: lnotab, 3.10's or 3.11's */
    uint32_t unused;
    struct record_string filename;
    struct record_string name;
    struct record_string qualname; /* from 3.11 on */
};

enum thread_flag {
    THREAD_IS_MAIN = 1,
    THREAD_TAKES_TRAPS = 2, /* perf may send it SIGTRAP with PERF_COOKIE: the agent handles that */
    THREAD_TELLS_DELAY = 4, /* delay_us is known */
};
#define PERF_COOKIE 0x656e656c61637300ull

struct record_thread {
    struct record_header head; /* flags: enum thread_flag */
    uint64_t time_ns;
    uint64_t cpu_ns; /* the thread's CPU clock when measuring began: what came before is not ours */
    uint64_t ident;  /* threading.get_ident() */
    uint32_t tid;
    uint32_t creator_tid; /* 0: unknown */
    uint32_t delay_us;    /* how long it had no CPU before measuring began, at most UINT32_MAX */
    uint32_t unused;
};

/* The CPU clocks in RECORD_THREAD_END and RECORD_SAMPLE stand still while measuring is switched
 * off: the thread's own clock is cpu_ns + away_ns. */
enum name_flag {
    NAME_IS_PYTHON = 1, /* of the Thread object, when it was started; else bytes the kernel has */
};

struct record_thread_name {
    struct record_header head; /* flags: enum name_flag */
    uint32_t tid;
    uint32_t entry; /* code object of the function it was started with; 0: not known */
    struct record_string name;
};

struct record_thread_end {
    struct record_header head;
    uint64_t time_ns;
    uint64_t cpu_ns;
    uint64_t away_ns; /* CPU time it used while measuring was off */
    uint32_t tid;
    uint32_t delay_us; /* how long it had no CPU in all its life, at most UINT32_MAX; 0: unknown */
};

/* Followed by n_clocks record_clock: the threads' own clocks at that moment, if the process was
 * switched from within; none if from outside. */
struct record_switch {
    struct record_header head;
    uint64_t time_ns;
    uint32_t is_off;
    uint32_t n_clocks;
};

struct record_clock {
    uint64_t cpu_ns;
    uint32_t tid;
    uint32_t unused;
};

enum sample_flag {
    SAMPLE_REACHED_EVAL = 1,    /* the last PC lies in the evaluation loop */
    SAMPLE_FRAMES_CUT = 2,      /* more Python frames than were kept: the outermost are missing */
    SAMPLE_NO_THREAD_STATE = 4, /* a thread Python does not know */
    SAMPLE_FINALIZING = 8,      /* the interpreter is shutting down */
    SAMPLE_IN_KERNEL = 16,      /* most of the CPU time since the last tick was the kernel's */
};

enum sample_engine {
    ENGINE_THREAD_TIMER = 1, /* a timer on the thread's CPU clock: one sample per kernel tick */
    ENGINE_PERF = 2, /* a burst of perf events, of user mode only, opened by the collector */
};

struct record_frame {
    uint32_t code; /* id of a record_code; 0: a code object that could not be read */
    int32_t
        instr; /* byte offset of the current instruction in the bytecode; -1: before the first */
};

/* Followed by n_frames record_frame, innermost first, then n_pcs PCs (uint64_t), the interrupted
 * one first, each later one a return address. */
struct record_sample {
    struct record_header head; /* flags: enum sample_flag */
    uint64_t time_ns;          /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;           /* the thread's CPU clock */
    uint32_t tid;
    uint16_t n_frames;
    uint16_t n_pcs;
    uint8_t opcode; /* of the innermost frame's current instruction, as it stands in memory */
    uint8_t engine; /* enum sample_engine */
    uint16_t unused;
    uint32_t n_frames_in_all; /* how deep the walk went; more than n_frames only when cut */
};

/* What could not be measured, by reason, and what measuring cost. They live in the ring's header
 * while the target runs, and are appended in one RECORD_END when it is over. */
enum ring_counter {
    COUNTER_SAMPLES,           /* written */
    COUNTER_DROPPED_RING_FULL, /* records that found no room */
    COUNTER_DROPPED_BUSY,      /* samples that met the agent at work, or no room on the stack */
    COUNTER_BAD_FRAME,         /* frames that made no sense: the walk stopped there */
    COUNTER_FAULTS,            /* loads from the target's memory that faulted */
    COUNTER_UNWIND_FAILED,   /* machine stacks that could not be followed to the evaluation loop */
    COUNTER_CODE_TABLE_FULL, /* frames whose code object found no room in the agent's table */
    COUNTER_NO_TIMER,        /* threads for which no timer could be made */
    COUNTER_HANDLER_NS,      /* CPU time spent taking samples */
    COUNTER_THREADS,         /* threads measured */
    COUNTER_PYTHON_BYTES,    /* allocated in all, exactly; in the order of enum memory_domain */
    COUNTER_NATIVE_BYTES,
    COUNTER_COPIED_BYTES,
    COUNTER_DROPPED_ALLOCS, /* sampled allocations that found no room to be followed */
    COUNTER_RESIDENT_PEAK,  /* bytes: the most it ever occupied, told at its end */
    RING_COUNTERS = 16,
};

struct record_end {
    struct record_header head;
    uint64_t time_ns; /* CLOCK_MONOTONIC when the collector knew the process was over */
    uint64_t cpu_ns;  /* CPU time of the whole process, start-up included; 0: unknown */
    uint64_t counters[RING_COUNTERS];
};

struct record_run {
    struct record_header head;
    uint64_t realtime_ns;
    uint32_t memory_mean; /* bytes between two memory samples that were asked for; 0: no memory */
    uint32_t unused;
    struct record_string program;      /* absolute path of the script, or the module's name */
    struct record_string entry_folder; /* folder of the script, empty for -m and -c */
    struct record_string program_path; /* the root under which files are profiled */
    struct record_string arguments;    /* the program's arguments, each ended by a zero byte */
};

/* Which bytes are counted, each apart. */
enum memory_domain {
    MEMORY_PYTHON, /* asked for through Python's object and memory domains */
    MEMORY_NATIVE, /* asked for by anybody else: C code, numpy, Python's raw domain, mmap */
    MEMORY_COPIED, /* moved by memcpy and its kin */
    MEMORY_DOMAINS,
};

/* Followed by n_frames record_frame, innermost first. */
struct record_stack {
    struct record_header head; /* flags: SAMPLE_FRAMES_CUT */
    uint32_t id;               /* from 1; unique in its process */
    uint32_t n_frames;
};

enum alloc_flag {
    ALLOC_IS_EXACT = 1,    /* at least as large as the mean: always recorded, stands for itself */
    ALLOC_IS_RESTORED = 2, /* a realloc failed: the block is there as before */
};

/* An allocation of n bytes that is sampled with probability p stands for n / p bytes and 1 / p
 * allocations. Sampled bytes are mean / 2 to 3/2 mean apart (agent/countdown.h), so with x = n /
 * mean
 *
 *     p = x                               up to x = 1/2
 *     p = x - (x - 1/2)^2 / 2             up to x = 1
 *     p = 1                               from there on: the allocation is exact */
struct record_alloc {
    struct record_header head; /* flags: enum alloc_flag */
    uint64_t time_ns;
    uint64_t address;        /* 0: a copy */
    uint64_t size, old_size; /* old_size: of the block a realloc grew from; 0: none, or unknown */
    uint64_t mean;
    uint32_t tid;
    uint32_t stack; /* id of a record_stack; 0: no Python stack */
    uint8_t domain; /* enum memory_domain */
    uint8_t unused[7];
};

enum free_flag {
    FREE_AT_EXIT = 1, /* the interpreter is shutting down */
};

struct record_free {
    struct record_header head; /* flags: enum free_flag */
    uint64_t time_ns;
    uint64_t address;
    uint32_t stack; /* id of a record_stack: where it was given back; 0: unknown */
    uint32_t unused;
};

struct record_resident {
    struct record_header head;
    uint64_t time_ns;
    uint64_t rss_bytes;
    uint64_t pss_bytes; /* what others share counted in part; 0: not asked for this time */
};

/* What a thread that does not run waits for. */
enum wait_kind {
    WAIT_OTHER,
    WAIT_SLEEP,   /* a moment in time */
    WAIT_IO,      /* a read, write, connect... */
    WAIT_POLL,    /* one of several files or sockets */
    WAIT_CHILD,   /* the end of another process */
    WAIT_LOCK,    /* another thread of the process */
    WAIT_GIL,     /* the interpreter's lock */
    WAIT_STARVED, /* a CPU */
    WAIT_KINDS,
};

enum wait_flag {
    WAIT_IS_BLIND = 1, /* the process's memory may not be read: no frames does not mean no Python */
    WAIT_IS_INSIDE = 2, /* told by the agent: time_ns is when the wait was over */
    WAIT_BEGINS = 4,    /* told by the agent: the wait begins at time_ns, wait_ns is 0 */
};

/* Time a thread spent waiting (RECORD_WAIT), or the part of the process's idle time that is laid at
 * its door (RECORD_IDLE). Followed by n_frames record_frame, innermost first; code objects the
 * agent has never sent are sent by the collector, with ids that have CODE_ID_OUTSIDE set. */
struct record_wait {
    struct record_header head; /* flags: enum wait_flag */
    uint64_t time_ns;          /* CLOCK_MONOTONIC when the wait was last seen */
    uint64_t wait_ns;
    uint64_t holder_ident; /* WAIT_GIL: the thread that held it; 0: unknown */
    uint32_t tid;
    uint32_t n_looks; /* how often it was seen: its statistical weight */
    uint16_t n_frames;
    uint8_t kind; /* enum wait_kind */
    uint8_t unused;
    uint32_t span_us; /* RECORD_IDLE: over so long, until time_ns, the time is spread */
};
#define CODE_ID_OUTSIDE 0x80000000u

static_assert(sizeof(struct record_stack) == 16, "wire layout");
static_assert(sizeof(struct record_alloc) == 64, "wire layout");
static_assert(sizeof(struct record_free) == 32, "wire layout");
static_assert(sizeof(struct record_resident) == 32, "wire layout");
static_assert(sizeof(struct record_wait) == 48, "wire layout");
static_assert(sizeof(struct record_header) == 8, "wire layout");
static_assert(sizeof(struct record_string) == 8, "wire layout");
static_assert(sizeof(struct record_process) == 72, "wire layout");
static_assert(sizeof(struct record_probe) == 16, "wire layout");
static_assert(sizeof(struct record_interpreter) == 24 + 128 + 1024 + sizeof(struct py_layout) + 24,
              "wire layout");
static_assert(sizeof(struct record_module) == 64, "wire layout");
static_assert(sizeof(struct record_code) == 56, "wire layout");
static_assert(sizeof(struct record_thread) == 48, "wire layout");
static_assert(sizeof(struct record_thread_end) == 40, "wire layout");
static_assert(sizeof(struct record_thread_name) == 24, "wire layout");
static_assert(sizeof(struct record_switch) == 24, "wire layout");
static_assert(sizeof(struct record_clock) == 16, "wire layout");
static_assert(sizeof(struct record_end) == 24 + 8 * RING_COUNTERS, "wire layout");
static_assert(sizeof(struct record_run) == 56, "wire layout");
static_assert(sizeof(struct record_frame) == 8, "wire layout");
static_assert(sizeof(struct record_sample) == 40, "wire layout");
static_assert(offsetof(struct record_sample, tid) == 24, "wire layout");
static_assert(offsetof(struct record_code, filename) == 32, "wire layout");

/* Bytes a string takes after a record's fixed part. */
static inline uint32_t record_string_bytes(const struct record_string *s)
{
    return (s->n_chars * s->width + 7u) & ~7u;
}

#endif
