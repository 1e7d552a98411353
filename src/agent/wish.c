/* SPDX-License-Identifier: Apache-2.0 */
/* The last few versions of a wish, so that a reader never waits for a writer: that may be the very
 * thread which the reader's handler has interrupted, or one that a fork has left behind.
 *
 * Synchronization: a writer takes a number, writes the version of that number where the one of
 * WISH_VERSIONS numbers before stood, and makes it the latest unless a later one is. A reader
 * copies the latest, and copies again if so many were begun meanwhile that it may have been written
 * over. */
#include "agent/wish.h"

#include "agent/safe.h"

/* So many in a row do not happen, unless writers are gone for good: then nobody writes either. */
#define TRIES_MAX 100

struct sigaction wish_read(const struct wish *wish)
{
    struct sigaction action;
    uint32_t n, n_begun;
    int tries = 0;
    do {
        n = atomic_load_explicit(&wish->latest, memory_order_acquire); /* wish_write's last store */
        action = wish->versions[n % WISH_VERSIONS];
        atomic_thread_fence(memory_order_acquire);
        n_begun = atomic_load_explicit(&wish->n_begun, memory_order_relaxed);
    } while (n_begun - n >= WISH_VERSIONS && ++tries < TRIES_MAX);
    return action;
}

void wish_write(struct wish *wish, const struct sigaction *action)
{
    /* Acquire keeps the writing behind it: who reads what is written sees that it was begun. */
    uint32_t n = atomic_fetch_add_explicit(&wish->n_begun, 1, memory_order_acq_rel) + 1;
    wish->versions[n % WISH_VERSIONS] = *action;
    uint32_t latest = atomic_load_explicit(&wish->latest, memory_order_relaxed);
    while ((int32_t)(n - latest) > 0 &&
           !atomic_compare_exchange_weak_explicit(&wish->latest, &latest, n, memory_order_release,
                                                  memory_order_relaxed))
        ;
}
