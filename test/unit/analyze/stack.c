/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/stack.h"

#include "../check.h"

static const struct stack *stack_of(const struct stacks *stacks, uint32_t outer, uint32_t inner)
{
    for (size_t i = 0; i < stacks->n; i++)
        if (stacks->items[i].n_frames == 2 && stacks->items[i].frames[0] == outer &&
            stacks->items[i].frames[1] == inner)
            return &stacks->items[i];
    return NULL;
}

static void equal_stacks_are_kept_once(void)
{
    struct stacks stacks = {0};
    const uint32_t a[] = {1, 2, 3}, b[] = {1, 2, 4};
    CHECK(stacks_add(&stacks, a, 3, 0) == 0 && stacks_add(&stacks, b, 3, 0) == 1);
    CHECK(stacks_add(&stacks, a, 3, 0) == 0);
    CHECK(stacks_add(&stacks, a, 3, STACK_IS_CUT) == 2 && stacks_add(&stacks, a, 2, 0) == 3);
    stacks_fini(&stacks);
}

static void few_stacks_are_left_alone(void)
{
    struct stacks stacks = {0};
    const uint32_t a[] = {1, 2, 3}, b[] = {4};
    const double costs[] = {1, 2};
    uint32_t new_ids[2];
    stacks_add(&stacks, a, 3, 0);
    stacks_add(&stacks, b, 1, 0);
    stacks_merge(&stacks, costs, 2, new_ids);
    CHECK(stacks.n == 2 && new_ids[0] == 0 && new_ids[1] == 1 && stacks.items[0].flags == 0);
    stacks_fini(&stacks);
}

/* Three single frames of 4, 3 and 2, and ten stacks of 1 that begin with 100, 101 or 100, 102: each
 * of these two groups is dearer than all of the three. */
static void cheap_stacks_become_dear_together(void)
{
    struct stacks stacks = {0};
    double costs[13] = {4, 3, 2};
    uint32_t new_ids[13];
    for (uint32_t i = 0; i < 3; i++)
        stacks_add(&stacks, &(uint32_t){i + 1}, 1, 0);
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t frames[] = {100, 101 + i % 2, 200 + i, 300 + i};
        costs[stacks_add(&stacks, frames, 4, 0)] = 1;
    }
    stacks_merge(&stacks, costs, 4, new_ids);
    CHECK(stacks.n == 4);
    CHECK(stack_of(&stacks, 100, 101) && stack_of(&stacks, 100, 102));
    CHECK(stack_of(&stacks, 100, 101)->flags == STACK_IS_MERGED);
    for (int i = 3; i < 13; i++)
        CHECK(stacks.items[new_ids[i]].frames[1] == (i % 2 ? 101 : 102));
    CHECK(stacks.items[new_ids[0]].frames[0] == 1 && stacks.items[new_ids[0]].flags == 0);
    CHECK(new_ids[1] == new_ids[2] && stacks.items[new_ids[1]].n_frames == 0);
    stacks_fini(&stacks);
}

int main(void)
{
    RUN(equal_stacks_are_kept_once);
    RUN(few_stacks_are_left_alone);
    RUN(cheap_stacks_become_dear_together);
    return 0;
}
