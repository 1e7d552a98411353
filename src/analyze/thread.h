/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of a process: its CPU clock, and what its samples say the time went to. Those with very
 * few samples are put together (pool.h).
 *
 * A sample is worth the time on the thread's CPU clock since the one before. What the clock shows
 * beyond the last sample is spread over all of the thread's samples in proportion, so that its
 * accounts add up to its clock. The kernel's part is what the ticks say, for bursts of perf samples
 * see user mode alone. */
#ifndef SCALENE_ANALYZE_THREAD_H
#define SCALENE_ANALYZE_THREAD_H

#include "analyze/inside.h"
#include "analyze/ledger.h"

#include "wire/record.h"

#include <stdbool.h>

#define THREAD_SEEN 16 /* samples remembered: longer than a record of a wait is on its way */

struct thread_seen {
    uint64_t time_ns;
    uint32_t frame;
};

struct thread {
    uint32_t tid, creator_tid;
    uint64_t ident;
    uint32_t part;        /* its number in accounts */
    uint32_t pooled_part; /* that of the pool it ended in; 0: it speaks for itself */
    const char *name;     /* NULL: not known */
    uint32_t entry;       /* code object of the function it was started with; 0: not known */
    bool is_main, is_over;
    bool has_python;               /* was seen with a Python frame */
    uint64_t start_cpu_ns, cpu_ns; /* its clock when measuring began, and when last heard of */
    uint64_t n_samples;
    /* The clock at its latest tick, and what ticks alone say: time in all, and in the kernel. */
    uint64_t tick_cpu_ns;
    double tick_ns, tick_system_ns;
    struct ledger ledger; /* empty once it is over and its sums were passed on */
    /* Where its latest sample on a profiled line was; PLACES_NO_FRAME: there was none. */
    uint32_t last_frame, last_stack;
    struct thread_seen seen[THREAD_SEEN]; /* the latest samples on profiled lines, in a circle */
    uint64_t n_seen;
    double waits_ns[WAIT_KINDS];
    struct inside_thread inside;
};

/* The clock moves on: the time since it last did. A clock that goes back stands still. */
uint64_t thread_advance(struct thread *thread, uint64_t cpu_ns);
/* A sample came from a tick of its timer. */
void thread_tick(struct thread *thread, uint64_t cpu_ns, bool is_system);
/* Adds the thread's accounts, made to add up to its clock, to a ledger; returns the time in ns that
 * belongs to no line. */
double thread_settle(const struct thread *thread, struct ledger *into);
/* A sample was on a profiled line. */
void thread_saw(struct thread *thread, uint64_t time_ns, uint32_t frame, uint32_t stack);
/* The frame of its latest sample at or before that moment, else of the first one known after it. */
uint32_t thread_frame_at(const struct thread *thread, uint64_t time_ns);

#endif
