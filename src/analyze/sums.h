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
    double *outside_ns;   /* by process */
    struct ledger ledger; /* owns: what pools and threads still at work have, settled */
    uint32_t *stack_ids;  /* by stack: its number in the result; PROFILE_NONE: it has no cost */
};

double cost_s(const struct cost *cost);
void cost_join(struct cost *cost, const struct cost *other);

enum profile_kind sums_kind(const struct profile *profile, const struct account *account);
/* `sums` has its arena and nothing else. */
void sums_make(struct sums *sums, const struct profile *profile);
void sums_fini(struct sums *sums);

/* Fills in the stacks of the result, and sums->stack_ids. (stack_result.c) */
void stack_result(const struct profile *profile, struct sums *sums, struct profile_result *result);

#endif
