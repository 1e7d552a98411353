/* SPDX-License-Identifier: Apache-2.0 */
/* All accounts of a profile summed up by line, function and stack. */
#ifndef SCALENE_ANALYZE_SUMS_H
#define SCALENE_ANALYZE_SUMS_H

#include "analyze/state.h"

/* What was measured at a line or in a function. */
struct sum {
    struct cost cost;
    double helper_s; /* part of the cost: CPU time of threads Python does not know */
    double waits_s[WAIT_KINDS];
    bool is_seen;
};

/* The sums a result is made of; arrays by the numbers of struct places and struct stacks. */
struct sums {
    struct arena *arena; /* borrowed: what the result points at is made in here */
    struct sum *lines, *functions;
    struct cost *stacks;
    double *outside_ns; /* by process */
};

double cost_s(const struct cost *cost);
void cost_join(struct cost *cost, const struct cost *other);

/* `sums` has its arena and nothing else. */
void sums_make(struct sums *sums, const struct profile *profile);

#endif
