/* SPDX-License-Identifier: Apache-2.0 */
/* One thread of the target, looked at from time to time: how long it waited, for what, and where.
 *
 * Its times tell exactly how long it did not run; a look tells what it waits for at that moment.
 * What passes between two looks at one wait is charged to it; what it waited between looks that it
 * also ran between is shared out by the votes of many such looks. */
#ifndef SCALENE_WATCH_THREAD_H
#define SCALENE_WATCH_THREAD_H

#include "watch/burst.h"
#include "watch/proc.h"
#include "watch/votes.h"

struct watched_thread {
    uint32_t tid;      /* as it calls itself */
    uint32_t seen_tid; /* as we see it: another one in a namespace of its own */
    uint64_t ident;    /* threading.get_ident(); 0: unknown */
    bool is_main;
    bool takes_traps; /* bursts may be opened on it */
    struct burst burst;
    struct proc_thread proc;
    struct proc_times times; /* at the last look */
    int64_t looked_ns;

    bool is_gone;                    /* ended; kept until its last CPU time is known */
    bool is_running;                 /* at the last look */
    bool has_run;                    /* since the look before */
    bool is_restless;                /* it has both run and waited of late */
    struct vote wait;                /* what it waits for, and where; kept while it does not run */
    struct remote_pages pages;       /* that the stack was read from */
    unsigned n_same;                 /* looks since it last ran */
    unsigned n_ran;                  /* looks that found that it had run */
    uint64_t charged_ns, starved_ns; /* to this wait, and without a CPU: not sent yet */
    uint32_t n_looks;                /* behind charged_ns */
    int64_t loose_ns; /* waited, to be shared out by the votes; below 0: its times came late */
    vote_list votes;
    int64_t unrest_ns; /* waited between looks that it also ran between, since it was restless */
    int64_t busy_ns;   /* ran or wanted to, as far as is known; idle.c sets it to 0 at each step */
    int64_t
        ahead_ns; /* part of busy_ns, now or in an earlier step, that the kernel has not booked */
    /* Since the last look, while measuring was off: time that passed, CPU time it used. */
    int64_t away_wall_ns;
    uint64_t away_cpu_ns;
    uint64_t off_cpu_ns; /* its CPU time when measuring was switched off */
};

/* What a look needs to know of the process. */
struct watched_memory {
    uint32_t process; /* the collector's number */
    struct remote remote;
    uint64_t cookie_at; /* of RECORD_PROCESS */
    struct py_layout layout;
    bool has_layout;
    bool is_blind;    /* what a thread is blocked in may not be asked */
    bool is_replaced; /* by another program: nothing it does is ours any more */
    bool is_told;     /* the agent tells of waits: none are seen from outside any more */
    struct stack_codes codes;
    struct queue *queue;                 /* borrowed */
    int64_t ran_ns, delayed_ns, n_turns; /* of all threads, since watch.c last set them to 0 */
    struct burst_terms *bursts;          /* borrowed; the same for the whole run */
};

void watched_thread_open(struct watched_thread *thread, pid_t pid, uint32_t seen_tid,
                         const struct record_thread *record);
/* Whether it has not run for so long that it need not be looked at each time. `is_crowded`: there
 * are many threads, and those that never did anything but begin are left alone at once. */
bool watched_thread_is_parked(const struct watched_thread *thread, bool is_crowded);
/* Finds out that the thread is gone, too. */
void watched_thread_look(struct watched_thread *thread, struct watched_memory *memory,
                         int64_t now_ns);
/* The thread has ended, and how: what it waited since the last look is charged where it was last
 * seen to wait.
 */
void watched_thread_finish(struct watched_thread *thread, const struct record_thread_end *record);
/* Measuring was switched off, or on again after off_ns, at time_ns; its CPU time then. */
void watched_thread_off(struct watched_thread *thread, int64_t time_ns, uint64_t cpu_ns);
void watched_thread_on(struct watched_thread *thread, int64_t off_ns, uint64_t cpu_ns);
/* It begins while measuring is off, since off_ns. */
void watched_thread_begins_off(struct watched_thread *thread, int64_t off_ns);
/* Its CPU time now; false: it is gone. */
bool watched_thread_cpu(const struct watched_thread *thread, uint64_t *cpu_ns);
/* Sends what was charged to it. */
void watched_thread_send(struct watched_thread *thread, struct watched_memory *memory);
void watched_thread_close(struct watched_thread *thread);

/* A record of `kind` about a stack; the caller fills in the rest. */
struct record_wait *watched_record(struct watched_memory *memory, enum record_kind kind,
                                   const struct stack *stack);

#endif
