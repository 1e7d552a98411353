/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of a process: its CPU clock, and what its samples say the time went to.
 *
 * A sample is worth the time on the thread's CPU clock since the one before. What the clock shows
 * beyond the last sample is spread over all of the thread's samples in proportion, so that its
 * accounts add up to its clock. */
#ifndef SCALENE_ANALYZE_THREAD_H
#define SCALENE_ANALYZE_THREAD_H

#include "analyze/ledger.h"

#include <stdbool.h>

struct thread {
    uint32_t tid, creator_tid;
    uint64_t ident;
    bool is_main, is_over;
    bool has_python;               /* was seen with a Python frame */
    uint64_t start_cpu_ns, cpu_ns; /* its clock when measuring began, and when last heard of */
    uint64_t n_samples;
    struct ledger ledger; /* empty once it is over and its sums were passed on */
    /* Where its latest sample on a profiled line was; PLACES_NO_FRAME: there was none. */
    uint32_t last_frame, last_stack;
};

/* The clock moves on: the time since it last did. A clock that goes back stands still. */
uint64_t thread_advance(struct thread *thread, uint64_t cpu_ns);
/* Adds the thread's accounts, made to add up to its clock, to a ledger; returns the time in ns that
 * belongs to no line. */
double thread_settle(const struct thread *thread, struct ledger *into);

#endif
