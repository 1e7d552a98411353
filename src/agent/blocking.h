/* SPDX-License-Identifier: Apache-2.0 */
/* What the files have in common that stand in front of the libc's calls that block: the real one is
 * called, and where waits are told from inside the time is taken before and after. Nothing else is
 * changed: what a call returns, errno, and whether a signal interrupts it or a cancellation ends it
 * are the real one's affair. */
#ifndef SCALENE_AGENT_BLOCKING_H
#define SCALENE_AGENT_BLOCKING_H

#include "agent/agent.h"
#include "agent/waits.h"

/* A hook for NAME, in three steps: the real function, found once; a test; the real function with
 * the time around it. BEFORE is a call that begins a wait, AFTER one that ends it. */
#define HOOK(type, name, before, after, parameters, arguments)                                     \
    static type(*real_##name) parameters;                                                          \
    AGENT_EXPORT type name parameters;                                                             \
    AGENT_EXPORT type name parameters                                                              \
    {                                                                                              \
        if (!real_##name)                                                                          \
            blocking_find((void **)&real_##name, #name);                                           \
        if (!waits_are_told())                                                                     \
            return real_##name arguments;                                                          \
        struct waits_call call = before;                                                           \
        type result = real_##name arguments;                                                       \
        after;                                                                                     \
        return result;                                                                             \
    }
#define WAIT(type, name, kind, parameters, arguments)                                              \
    HOOK(type, name, waits_begin(kind), waits_end(&call), parameters, arguments)

/* The libc's own function of that name. Context: hook */
void blocking_find(void **function, const char *name);

typedef const struct timespec *time_in;

#endif
