/* SPDX-License-Identifier: Apache-2.0 */
/* Idle time of a process: when none of its threads ran, and at whose door it is laid.
 *
 * Each look at all threads that finds none running is a vote for those that wait for something
 * outside the process (or for the main thread, if all wait for each other): a sure one for all the
 * time since the look before if none has run since, else for half of it. How much idle time there
 * was follows from the threads' exact times, step by step: with one busy thread it is what is left
 * of the wall clock; with several the times only allow bounds. Windows of one or more steps, which
 * end while nobody wants to run, are settled: where the bounds leave room, by the share of idle
 * looks. What is not sure in them is shared out over several windows, for it takes many votes to be
 * fair to short waits. */
#ifndef SCALENE_WATCH_IDLE_H
#define SCALENE_WATCH_IDLE_H

#include "base/vec.h"
#include "watch/thread.h"

/* Windows in which the clocks leave room. Each alone is known by a few looks only, and to hold each
 * within its bounds would push all of them away from the bound the truth is at: so they are held
 * within their bounds together. */
struct idle_doubt {
    double wall_ns, seen_ns; /* seen: by the share of idle looks */
    double low_ns, high_ns;
    double told_ns;
};

struct idle {
    int64_t window_start_ns;
    int64_t looked_ns, idle_looked_ns; /* time between looks, all and idle ones, if made on time */
    int64_t step_start_ns;             /* within the window */
    int64_t low_ns, high_ns;           /* idle time in the steps of this window */
    struct idle_doubt doubt;
    int64_t departed_ns; /* what threads that have ended were busy in this step */
    bool was_idle;       /* at the last look */
    vote_list sure;      /* of this window */
    vote_list likely;    /* since likely_start_ns */
    int64_t likely_start_ns;
    uint64_t likely_ns; /* idle time of the windows since then that is not sure */
    vote_list last;     /* who voted at the last look; weights add up to 1 */
};

typedef vec_of(struct watched_thread) watched_threads;

/* After a look at all threads, `length_ns` after the one before. `is_late`: we were woken too late
 * for it to count, but where no other look has a vote. */
void idle_look(struct idle *idle, watched_threads *threads, struct watched_memory *memory,
               int64_t now_ns, int64_t length_ns, bool is_late);
/* A thread has ended, and has been told so: it is about to be forgotten. */
void idle_depart(struct idle *idle, const struct watched_thread *thread);
/* The window begins later by so long, in which nothing was measured. */
void idle_leave_out(struct idle *idle, int64_t length_ns);
/* Settles the window, whatever its length. */
void idle_settle(struct idle *idle, watched_threads *threads, struct watched_memory *memory,
                 int64_t now_ns);
void idle_fini(struct idle *idle);

#endif
