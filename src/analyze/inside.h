/* SPDX-License-Identifier: Apache-2.0 */
/* Idle time of a process whose agent tells of waits itself: when all of its threads waited at once.
 *
 * Each wait told is a span of time; where no thread of the process is outside of its spans, and
 * none waits for the GIL, which somebody must hold, the process is idle. A thread from which
 * nothing has been heard for a second, no sample and no wait, waits in a call that is not over.
 * Spans are kept until they are a second old, so that those of all threads are known. */
#ifndef SCALENE_ANALYZE_INSIDE_H
#define SCALENE_ANALYZE_INSIDE_H

#include "base/vec.h"
#include "wire/record.h"

#include <stdbool.h>

struct profile;
struct process;
struct thread;

struct inside_wait {
    uint64_t start_ns, end_ns;
    enum wait_kind kind;
    uint32_t frame, stack; /* as struct charge */
};

/* Of a thread. Zero-initialise. */
struct inside_thread {
    uint64_t start_ns, end_ns; /* of the thread; end 0: it lives */
    uint64_t heard_ns;         /* when the latest record came from it, or it began */
    struct inside_wait
        open; /* the latest wait, of which it may not have been told that it is over */
    vec_of(struct inside_wait) waits; /* told, in order, and not settled */
};

/* Of a process. Zero-initialise. */
struct inside {
    uint64_t settled_ns; /* up to when; 0: this agent does not tell of waits */
    uint64_t since_ns;   /* when measuring was last switched on; 0: it never was off */
    uint64_t n_told;
};

/* A record of the thread came, of that moment. */
void inside_heard(struct profile *profile, struct process *process, struct thread *thread,
                  uint64_t time_ns);
/* A wait was told: `wait` until end_ns, or begins at start_ns when end_ns is 0. */
void inside_add(struct profile *profile, struct process *process, struct thread *thread,
                const struct inside_wait *wait);
/* The thread is over; if it was in a wait, that is, too. */
void inside_end_thread(struct thread *thread, uint64_t time_ns);
/* The process is over: what it waited last is settled. */
void inside_end(struct profile *profile, struct process *process);
/* Measuring is switched off or on: in between nothing is waited. */
void inside_switch(struct profile *profile, struct process *process, uint64_t time_ns, bool is_off);
/* Stacks were merged. */
void inside_move_stacks(struct inside_thread *inside, const uint32_t *new_ids);
void inside_fini(struct inside_thread *inside);

#endif
