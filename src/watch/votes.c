/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/votes.h"

bool vote_is_same(const struct vote *a, const struct vote *b)
{
    return a->tid == b->tid && a->kind == b->kind && a->holder_ident == b->holder_ident &&
           (a->kind != WAIT_GIL || a->seen_ns == b->seen_ns) && a->stack.n == b->stack.n &&
           memcmp(a->stack.frames, b->stack.frames, b->stack.n * sizeof *b->stack.frames) == 0;
}

static struct vote *place_of(vote_list *votes, const struct vote *voter)
{
    for (size_t i = 0; i < votes->n; i++)
        if (vote_is_same(&votes->items[i], voter))
            return &votes->items[i];
    if (!votes->room) { /* most threads wait at one place or two */
        votes->room = 2;
        votes->items = xrealloc(NULL, votes->room * sizeof *votes->items);
    }
    struct vote *vote = vec_push(votes);
    *vote = *voter;
    vote->weight = 0;
    vote->n_looks = 0;
    return vote;
}

void votes_add(vote_list *votes, const struct vote *voter, double weight, uint32_t n_looks)
{
    struct vote *vote = place_of(votes, voter);
    vote->weight += weight;
    vote->n_looks += n_looks;
    vote->seen_ns = voter->seen_ns;
}

double votes_weight(const vote_list *votes)
{
    double weight = 0;
    for (size_t i = 0; i < votes->n; i++)
        weight += votes->items[i].weight;
    return weight;
}
