/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that were too short to be sampled well, put together by what they were started with.
 *
 * A thread of a millisecond is met by a tick or by none. Each tick that met one of many such
 * threads stands for the same time; their clocks are exact. So the clocks of all of them, of those
 * without a sample too, are spread over the samples of all of them. */
#ifndef SCALENE_ANALYZE_POOL_H
#define SCALENE_ANALYZE_POOL_H

#include "analyze/thread.h"

#define POOL_SAMPLES 20u /* a thread with more of them speaks for itself */

struct pool {
    uint32_t part; /* that of the first thread of it */
    double clock_ns;
    uint64_t n_samples;
    struct ledger ledger; /* samples counted; their times do not matter */
};

/* Of a process. Zero-initialise. */
struct pools {
    struct pool *items;
    size_t n, room;
    struct map ids; /* (entry, creator) -> index plus one */
};

/* Whether a thread that ends belongs here rather than to itself. */
bool pools_want(const struct thread *thread);
void pools_add(struct pools *pools, struct thread *thread);
/* Slices 2 i and 2 i + 1 become slice i. */
void pools_halve_slices(struct pools *pools);
/* Adds what was spent on lines to a ledger; returns the time in ns that belongs to no line. */
double pools_settle(const struct pools *pools, struct ledger *into);
void pools_move_stacks(struct pools *pools, const uint32_t *new_ids);
void pools_fini(struct pools *pools);

#endif
