/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/gil.h"

/* Pairs are kept until there are four times as many as will be shown, so that one that grows slowly
 * has its chance. */
#define PAIRS_KEPT (4 * GIL_PAIRS_MAX)

static uint32_t line_key(const struct places *places, uint32_t frame)
{
    return frame == PLACES_NO_FRAME ? 0 : places->frames.items[frame].line + 1;
}

static struct gil_pair *pair_of(struct gil *gil, const struct places *places, uint32_t waiter,
                                uint32_t holder)
{
    const uint32_t key[] = {line_key(places, waiter), line_key(places, holder)};
    size_t *id = map_at(&gil->ids, key, sizeof key, NULL);
    if (*id == 0) {
        *vec_push(gil) = (struct gil_pair){waiter, holder, 0};
        *id = gil->n;
    }
    return &gil->items[*id - 1];
}

static int dearest_first(const void *left, const void *right)
{
    const struct gil_pair *a = left, *b = right;
    if (a->wait_ns != b->wait_ns)
        return a->wait_ns > b->wait_ns ? -1 : 1;
    if (a->waiter != b->waiter)
        return a->waiter < b->waiter ? -1 : 1;
    return a->holder < b->holder ? -1 : a->holder > b->holder;
}

/* Keeps the dearest pairs; what the others waited is not lost. */
static void merge(struct gil *gil, const struct places *places, size_t limit)
{
    struct gil merged = {.other_ns = gil->other_ns};
    qsort(gil->items, gil->n, sizeof *gil->items, dearest_first);
    for (size_t i = 0; i < gil->n; i++) {
        const struct gil_pair *pair = &gil->items[i];
        if (i < limit)
            *pair_of(&merged, places, pair->waiter, pair->holder) = *pair;
        else
            merged.other_ns += pair->wait_ns;
    }
    gil_fini(gil);
    *gil = merged;
}

void gil_add(struct gil *gil, const struct places *places, uint32_t waiter, uint32_t holder,
             double wait_ns)
{
    pair_of(gil, places, waiter, holder)->wait_ns += wait_ns;
    if (gil->n > PAIRS_KEPT)
        merge(gil, places, GIL_PAIRS_MAX);
}

static struct profile_place place_of(const struct places *places, uint32_t frame)
{
    if (frame == PLACES_NO_FRAME)
        return (struct profile_place){0};
    const struct line *line = &places->lines.items[places->frames.items[frame].line];
    return (struct profile_place){line->path, line->lineno};
}

void gil_result(const struct gil *gil, const struct places *places, struct arena *arena,
                struct profile_result *result)
{
    size_t n = gil->n;
    double other_ns = gil->other_ns;
    struct gil_pair *pairs = arena_alloc(arena, n * sizeof *pairs);
    if (n) {
        memcpy(pairs, gil->items, n * sizeof *pairs);
        qsort(pairs, n, sizeof *pairs, dearest_first);
    }
    size_t room = GIL_PAIRS_MAX - (n > GIL_PAIRS_MAX || other_ns > 0);
    for (; n > room; n--)
        other_ns += pairs[n - 1].wait_ns;
    result->gil = arena_alloc(arena, (n + 1) * sizeof *result->gil);
    for (size_t i = 0; i < n; i++)
        result->gil[i] = (struct profile_gil){.waiter = place_of(places, pairs[i].waiter),
                                              .holder = place_of(places, pairs[i].holder),
                                              .seconds = pairs[i].wait_ns * 1e-9};
    result->n_gil = n;
    if (other_ns > 0)
        result->gil[result->n_gil++] =
            (struct profile_gil){.is_other = true, .seconds = other_ns * 1e-9};
}

void gil_fini(struct gil *gil)
{
    vec_fini(gil);
    map_fini(&gil->ids);
}
