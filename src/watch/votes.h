/* SPDX-License-Identifier: Apache-2.0 */
/* Who was seen waiting where, and for how long each look stands.
 *
 * How long threads waited is known exactly; where they did is seen only at looks. Between two looks
 * without a run in between it was one place. Else each of the two looks stands for half of the time
 * between them: so every place has as many votes as it has time, on average, however short its
 * waits are, and what was waited is shared out by the votes. */
#ifndef SCALENE_WATCH_VOTES_H
#define SCALENE_WATCH_VOTES_H

#include "base/vec.h"
#include "watch/stack.h"

/* A thread at one place, and its votes. */
struct vote {
    uint32_t tid;
    enum wait_kind kind;
    uint64_t holder_ident; /* WAIT_GIL: who held it */
    int64_t seen_ns;       /* the last time */
    double weight;
    uint32_t n_looks;
    struct stack stack;
};

typedef vec_of(struct vote) vote_list;

/* The same thread at the same place. Waits for the GIL differ from moment to moment, for that tells
 * where its holder was. */
bool vote_is_same(const struct vote *a, const struct vote *b);
/* Adds `weight` to the votes of a place. */
void votes_add(vote_list *votes, const struct vote *voter, double weight, uint32_t n_looks);
double votes_weight(const vote_list *votes);

#endif
