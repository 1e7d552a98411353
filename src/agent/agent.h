/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the agent share: the process's state, and the rules they live by.
 *
 * Everything here but boot.c may run in a signal handler that interrupted anything, malloc and the
 * dynamic linker included, or in a child of vfork: no locks, no allocation, no stdio, bounded
 * loops, little stack. Trouble drops the sample and counts why; nothing here prints, aborts or
 * exits. */
#ifndef SCALENE_AGENT_AGENT_H
#define SCALENE_AGENT_AGENT_H

#include "wire/ring.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define AGENT_EXPORT __attribute__((visibility("default")))

struct agent {
    uint64_t cookie;           /* PERF_COOKIE: the collector knows this process image by it */
    struct ring ring;          /* of this process; header NULL until the first sample needs it */
    struct control *control;   /* mapped by boot, shared with the collector */
    _Atomic uint32_t is_on;    /* samples are possible: from boot to the end */
    _Atomic uint32_t n_inside; /* threads at work in the agent that may use the ring */
    _Atomic uint32_t is_off;   /* but not wanted now (control.h) */
    /* Counted up in every forked child: whatever was sent to the parent's ring under another
     * number must be sent again. Written only while the child has one thread. */
    uint32_t generation;
    uint32_t pid;
    /* Not zero: waits are told from inside (waits.h). In the ring's header, where the collector
     * writes it, once there is a ring. Written by whoever makes the ring; read by any thread. */
    _Atomic(_Atomic uint32_t *) waits;
};
extern struct agent agent;

static inline _Atomic uint32_t *agent_waits(void)
{
    return atomic_load_explicit(&agent.waits, memory_order_relaxed);
}

/* Adds to a counter of the ring; without a ring nothing is counted. Context: signal | hook */
static inline void agent_count(enum ring_counter counter, uint64_t n)
{
    if (agent.ring.header)
        ring_count(&agent.ring, counter, n);
}

/* Whether samples are possible; then the ring stays until agent_leave. Context: signal | hook */
static inline bool agent_enter(void)
{
    /* Sequentially consistent, as in scalene_detach: either we see its is_on, or it sees us. */
    atomic_fetch_add_explicit(&agent.n_inside, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&agent.is_on, memory_order_seq_cst))
        return true;
    atomic_fetch_sub_explicit(&agent.n_inside, 1, memory_order_release);
    return false;
}

static inline void agent_leave(void)
{
    atomic_fetch_sub_explicit(&agent.n_inside, 1, memory_order_release);
}

#endif
