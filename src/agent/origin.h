/* SPDX-License-Identifier: Apache-2.0 */
/* On whose behalf a thread that runs no Python works: the line that launched its work, if that can
 * be told, or the line that created the thread. */
#ifndef SCALENE_AGENT_ORIGIN_H
#define SCALENE_AGENT_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

struct origin {
    uint32_t stack; /* on which the thread was created; 0: not known */
    uint32_t generation;
    uint32_t creator_tid;   /* the Python thread at the head of it; 0: none */
    uint64_t creator_state; /* its thread state: borrowed, and believed only after a check */
    uint64_t creator_ident;
};

/* For the thread that this one is about to create. A thread without Python passes its own on.
 * Context: any thread, in pthread_create */
struct origin origin_here(void);
/* For this thread, which has just begun. Context: the new thread */
void origin_begin(const struct origin *origin);
/* The stack this thread works for; 0: nobody knows. False: the ring is full. Context: hook, busy */
bool origin_stack(uint32_t *stack);

#endif
