/* SPDX-License-Identifier: Apache-2.0 */
/* Python stacks, each kept once, and merged when there are too many. */
#ifndef SCALENE_ANALYZE_STACK_H
#define SCALENE_ANALYZE_STACK_H

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>

enum stack_flag {
    STACK_IS_CUT = 1,    /* outer frames are missing */
    STACK_IS_MERGED = 2, /* inner frames were left out: it stands for several */
};

struct stack {
    const uint32_t *frames; /* frames of struct places, outermost first */
    uint32_t n_frames;
    uint32_t flags; /* enum stack_flag */
};

/* Zero-initialise. */
struct stacks {
    struct stack *items;
    size_t n, room;
    struct map ids;
    struct arena arena; /* owns the frames */
};

uint32_t stacks_add(struct stacks *stacks, const uint32_t *frames, uint32_t n, uint32_t flags);

/* Makes of `stacks` at most `limit` (not 0): the dearest stay, the others become their outermost
 * half, or half of that. costs[i] is what stack i costs; new_ids[i] becomes its number among the
 * new ones. Nothing is lost: every old stack has a new one. */
void stacks_merge(struct stacks *stacks, const double *costs, size_t limit, uint32_t *new_ids);
void stacks_fini(struct stacks *stacks);

#endif
