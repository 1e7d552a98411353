/* SPDX-License-Identifier: Apache-2.0 */
/* Waits told from inside: where the collector may not look into the process, the calls that block
 * say themselves how long they did.
 *
 * Until somebody has found out that the collector cannot see, a call pays for one test. Then it
 * takes the time before and after; nothing is kept in between, so that a call that is cancelled or
 * left by a long jump does no harm. */
#ifndef SCALENE_AGENT_WAITS_H
#define SCALENE_AGENT_WAITS_H

#include "agent/agent.h"

/* A call that may block, on the stack of its caller. */
struct waits_call {
    uint64_t start_ns;
    uint64_t holder_ident; /* WAIT_GIL: who held it when the call began */
    enum wait_kind kind;
};

/* Context: hook */
static inline bool waits_are_told(void)
{
    /* Relaxed: whoever sees it late tells of one wait less. */
    return __builtin_expect(atomic_load_explicit(agent_waits(), memory_order_relaxed) != 0, 0);
}

/* Before and after the call. Both leave errno alone. Context: hook */
struct waits_call waits_begin(enum wait_kind kind);
void waits_end(const struct waits_call *call);
/* The same for a condition, which may be the one behind the GIL; `is_late`: its time ran out. */
struct waits_call waits_begin_condition(const void *condition);
void waits_end_condition(const struct waits_call *call, bool is_late);

/* The wish to be told, until there is a ring, in which the collector can write it. */
extern _Atomic uint32_t waits_own_wish;

/* Whether the collector will be able to look, as far as the process itself can tell: asked at the
 * start and whenever the process has changed its rights. Context: boot | hook */
void waits_check_access(void);
/* The ring of this process is there, or there is none any more. Context: signal | boot */
void waits_ring_opens(struct ring_header *header);
void waits_ring_closes(void);

#endif
