/* SPDX-License-Identifier: Apache-2.0 */
/* Bursts of denser samples: perf's task clock interrupts a running thread every millisecond of user
 * time, as long as its budget lasts. The kernel's tick alone gives 100 to 1000 samples a second and
 * runs in step with the scheduler; the bursts tell lines of less than a millisecond apart.
 *
 * The event is opened here, on the thread of another process, so that the target has no file of
 * ours open; its SIGTRAP is taken by the agent. */
#ifndef SCALENE_WATCH_BURST_H
#define SCALENE_WATCH_BURST_H

#include "watch/proc.h"
#include "watch/remote.h"

struct burst {
    int fd;            /* owns; -1: closed */
    int64_t budget_ns; /* of the thread's time, that may be spent on samples */
    bool ran_on;       /* at the latest look, in few turns */
};

/* Whether the kernel lets us open such events at all: learnt by the first attempt. */
enum burst_access { BURST_UNKNOWN, BURST_ALLOWED, BURST_REFUSED };

/* What holds for all bursts of a run. */
struct burst_terms {
    enum burst_access access;
};

/* There are none where the wanted period asks for few samples. */
struct burst_terms burst_terms(uint32_t period_ns);

void burst_init(struct burst *burst);
/* The thread an event is opened on, and where its process has PERF_COOKIE. */
struct burst_target {
    struct remote *remote;
    uint64_t cookie_at;
    uint32_t tid;
};
/* After a look: the thread's times before and now, `wall_ns` apart. */
void burst_look(struct burst *burst, struct burst_terms *terms, const struct burst_target *target,
                const struct proc_times *before, const struct proc_times *now, int64_t wall_ns);
void burst_fini(struct burst *burst);

#endif
