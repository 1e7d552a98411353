/* SPDX-License-Identifier: Apache-2.0 */
/* Idle time of a process: when none of its threads ran, and at whose door it is laid.
 *
 * Each look at all threads that finds none running is a vote, as long as the time since the look
 * before, for those that wait for something outside the process (or for the main thread, if all
 * wait for each other). Windows of a tenth of a second or more are settled by the threads' exact
 * times: with one busy thread the idle time is what is left of the wall clock; with several it is
 * estimated by the share of idle looks, within the bounds that the times allow. */
#ifndef SCALENE_WATCH_IDLE_H
#define SCALENE_WATCH_IDLE_H

#include "base/vec.h"
#include "watch/thread.h"

/* A thread at one place, and its votes. */
struct idle_share {
    uint32_t tid;
    enum wait_kind kind;
    struct stack stack;
    double weight;
    uint32_t n_looks;
};

struct idle {
    int64_t window_start_ns;
    int64_t looked_ns, idle_looked_ns; /* time between looks, all and idle ones, if made on time */
    uint64_t departed_ns;              /* CPU time in this window of threads that have ended */
    uint64_t carried_ns;               /* idle time of earlier windows without a single vote */
    bool was_idle;                     /* at the last look */
    vec_of(struct idle_share) shares;
    vec_of(struct idle_share) last; /* who voted at the last look; weights add up to 1 */
};

typedef vec_of(struct watched_thread) watched_threads;

/* After a look at all threads, `length_ns` after the one before. `is_late`: we were woken too late
 * for it to count, but where no other look has a vote. */
void idle_look(struct idle *idle, watched_threads *threads, struct watched_memory *memory,
               int64_t now_ns, int64_t length_ns, bool is_late);
/* Settles the window, whatever its length. */
void idle_settle(struct idle *idle, watched_threads *threads, struct watched_memory *memory,
                 int64_t now_ns);
void idle_fini(struct idle *idle);

#endif
