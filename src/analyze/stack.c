/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/stack.h"

uint32_t stacks_add(struct stacks *stacks, const uint32_t *frames, uint32_t n, uint32_t flags)
{
    uint32_t *key = xrealloc(NULL, (n + 1) * sizeof *key);
    key[0] = flags;
    if (n)
        memcpy(key + 1, frames, n * sizeof *key);
    bool is_new;
    size_t *id = map_at(&stacks->ids, key, (n + 1) * sizeof *key, &is_new);
    if (is_new) {
        uint32_t *copy = arena_alloc(&stacks->arena, n * sizeof *copy);
        memcpy(copy, key + 1, n * sizeof *copy);
        *id = stacks->n;
        *vec_push(stacks) = (struct stack){copy, n, flags};
    }
    free(key);
    return (uint32_t)*id;
}

void stacks_fini(struct stacks *stacks)
{
    vec_fini(stacks);
    map_fini(&stacks->ids);
    arena_fini(&stacks->arena);
}

/* A stack and what it costs, to be put in order. */
struct ranked {
    double cost;
    uint32_t id;
};

static int dearest_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static struct ranked *rank(const struct stacks *stacks, const double *costs)
{
    struct ranked *ranking = xrealloc(NULL, stacks->n * sizeof *ranking);
    for (uint32_t i = 0; i < stacks->n; i++)
        ranking[i] = (struct ranked){costs[i], i};
    qsort(ranking, stacks->n, sizeof *ranking, dearest_first);
    return ranking;
}

/* The stack of the outermost half of a stack's frames. The one without any frame stands for
 * everything, so it does not matter whether something was cut off before. */
static uint32_t add_half(struct stacks *into, const struct stack *stack, uint32_t fewest)
{
    uint32_t n = stack->n_frames / 2 > fewest ? stack->n_frames / 2 : fewest;
    if (n >= stack->n_frames && stack->n_frames > 0)
        return stacks_add(into, stack->frames, stack->n_frames, stack->flags);
    uint32_t flags = n ? stack->flags | STACK_IS_MERGED : STACK_IS_MERGED;
    return stacks_add(into, stack->frames, n, flags);
}

/* One round: the `n_kept` dearest stay, the others are halved, but not below `fewest` frames. */
static struct stacks halve(const struct stacks *stacks, const double *costs, size_t n_kept,
                           uint32_t fewest, uint32_t *new_ids)
{
    struct stacks halved = {0};
    struct ranked *ranking = rank(stacks, costs);
    for (size_t i = 0; i < stacks->n; i++) {
        const struct stack *stack = &stacks->items[ranking[i].id];
        new_ids[ranking[i].id] =
            i < n_kept ? stacks_add(&halved, stack->frames, stack->n_frames, stack->flags)
                       : add_half(&halved, stack, fewest);
    }
    free(ranking);
    return halved;
}

static uint64_t frames_in_all(const struct stacks *stacks)
{
    uint64_t n = 0;
    for (size_t i = 0; i < stacks->n; i++)
        n += stacks->items[i].n_frames;
    return n;
}

void stacks_merge(struct stacks *stacks, const double *costs, size_t limit, uint32_t *new_ids)
{
    size_t n_old = stacks->n, n_kept = limit - (limit / 4 ? limit / 4 : 1);
    double *sums = xrealloc(NULL, n_old * sizeof *sums);
    double *old_sums = xrealloc(NULL, n_old * sizeof *sums);
    uint32_t *ids = xrealloc(NULL, n_old * sizeof *ids);
    memcpy(sums, costs, n_old * sizeof *sums);
    for (uint32_t i = 0; i < n_old; i++)
        new_ids[i] = i;
    for (uint32_t fewest = 1; stacks->n > limit;) {
        struct stacks halved = halve(stacks, sums, n_kept, fewest, ids);
        memcpy(old_sums, sums, stacks->n * sizeof *sums);
        memset(sums, 0, stacks->n * sizeof *sums);
        for (size_t i = 0; i < stacks->n; i++)
            sums[ids[i]] += old_sums[i];
        for (size_t i = 0; i < n_old; i++)
            new_ids[i] = ids[new_ids[i]];
        if (frames_in_all(&halved) == frames_in_all(stacks))
            fewest = 0; /* only single frames are left to be merged: into one stack without any */
        stacks_fini(stacks);
        *stacks = halved;
    }
    free(ids);
    free(old_sums);
    free(sums);
}
