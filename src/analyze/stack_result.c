/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks as part of the result: merged to as many as it may have, the dearest first. */
#include "analyze/sums.h"

struct profile_frame result_frame(const struct places *places, uint32_t id)
{
    const struct frame *frame = &places->frames.items[id];
    const struct function *function = &places->functions.items[frame->function];
    return (struct profile_frame){function->path, function->name,
                                  places->lines.items[frame->line].lineno};
}

struct profile_stack result_stack(const struct places *places, struct arena *arena,
                                  const struct stack *stack)
{
    struct profile_frame *frames = arena_alloc(arena, stack->n_frames * sizeof *frames);
    for (uint32_t k = 0; k < stack->n_frames; k++)
        frames[k] = result_frame(places, stack->frames[k]);
    return (struct profile_stack){.frames = frames,
                                  .n_frames = stack->n_frames,
                                  .is_cut = stack->flags & STACK_IS_CUT,
                                  .is_merged = stack->flags & STACK_IS_MERGED};
}

int result_compare_stacks(const struct profile_stack *a, const struct profile_stack *b)
{
    if (a->n_frames != b->n_frames)
        return a->n_frames > b->n_frames ? -1 : 1;
    for (size_t i = 0; i < a->n_frames; i++) {
        int order = strcmp(a->frames[i].path, b->frames[i].path);
        if (order == 0)
            order = a->frames[i].line - b->frames[i].line;
        if (order)
            return order;
    }
    return (a->is_merged - b->is_merged) * 2 + a->is_cut - b->is_cut;
}

/* A stack of the result, and its number before they were put in order. */
struct ranked {
    struct profile_stack stack;
    uint32_t id;
};

static int dearest_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    double cost_a = cost_s(&a->stack.cost), cost_b = cost_s(&b->stack.cost);
    if (cost_a != cost_b)
        return cost_a > cost_b ? -1 : 1;
    return result_compare_stacks(&a->stack, &b->stack);
}

/* A copy to be merged: the profile's own stacks go on growing. Stacks without cost, left from
 * merging, are not in it. */
static struct stacks copy_stacks(const struct stacks *stacks, const struct cost *costs,
                                 double *seconds, struct cost *copied, uint32_t *ids)
{
    struct stacks copy = {0};
    for (size_t i = 0; i < stacks->n; i++) {
        ids[i] = PROFILE_NONE;
        if (costs[i].n_samples == 0 && costs[i].n_looks == 0 && cost_s(&costs[i]) <= 0)
            continue;
        const struct stack *stack = &stacks->items[i];
        uint32_t id = stacks_add(&copy, stack->frames, stack->n_frames, stack->flags);
        seconds[id] = cost_s(&costs[i]);
        copied[id] = costs[i];
        ids[i] = id;
    }
    return copy;
}

/* Puts merged stacks in order; places[i] becomes where stack i is. */
static void put_in_order(struct profile_result *result, struct arena *arena, struct ranked *ranked,
                         size_t n, uint32_t *places)
{
    if (n > 1)
        qsort(ranked, n, sizeof *ranked, dearest_first);
    result->n_stacks = n;
    result->stacks = arena_alloc(arena, n * sizeof *result->stacks);
    for (uint32_t i = 0; i < n; i++) {
        result->stacks[i] = ranked[i].stack;
        places[ranked[i].id] = i;
    }
}

void stack_result(const struct profile *profile, struct sums *sums, struct profile_result *result)
{
    size_t n = profile->stacks.n;
    double *seconds = arena_alloc(sums->arena, n * sizeof *seconds);
    struct cost *costs = arena_alloc(sums->arena, n * sizeof *costs);
    uint32_t *new_ids = arena_alloc(sums->arena, n * sizeof *new_ids);
    uint32_t *places = arena_alloc(sums->arena, n * sizeof *places);
    sums->stack_ids = arena_alloc(sums->arena, n * sizeof *sums->stack_ids);
    struct stacks stacks =
        copy_stacks(&profile->stacks, sums->stacks, seconds, costs, sums->stack_ids);
    size_t n_old = stacks.n;
    stacks_merge(&stacks, seconds, profile->input.max_stacks, new_ids);
    struct ranked *ranked = arena_alloc(sums->arena, stacks.n * sizeof *ranked);
    for (uint32_t i = 0; i < stacks.n; i++)
        ranked[i] =
            (struct ranked){result_stack(&profile->places, sums->arena, &stacks.items[i]), i};
    for (size_t i = 0; i < n_old; i++)
        cost_join(&ranked[new_ids[i]].stack.cost, &costs[i]);
    put_in_order(result, sums->arena, ranked, stacks.n, places);
    for (size_t i = 0; i < n; i++)
        if (sums->stack_ids[i] != PROFILE_NONE)
            sums->stack_ids[i] = places[new_ids[sums->stack_ids[i]]];
    stacks_fini(&stacks);
}
