/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/places.h"

uint32_t places_function(struct places *places, const struct function *function)
{
    const uint64_t key[] = {(uint64_t)(uintptr_t)function->path,
                            (uint64_t)(uintptr_t)function->name, (uint32_t)function->first_line};
    bool is_new;
    size_t *id = map_at(&places->function_ids, key, sizeof key, &is_new);
    if (is_new) {
        *id = places->functions.n;
        *vec_push(&places->functions) = *function;
    }
    return (uint32_t)*id;
}

static uint32_t line_id(struct places *places, const char *path, int lineno)
{
    const uint64_t key[] = {(uint64_t)(uintptr_t)path, (uint32_t)lineno};
    bool is_new;
    size_t *id = map_at(&places->line_ids, key, sizeof key, &is_new);
    if (is_new) {
        *id = places->lines.n;
        struct line *line = vec_push(&places->lines);
        line->path = path;
        line->lineno = lineno;
        line->stride = 1;
    }
    return (uint32_t)*id;
}

uint32_t places_frame(struct places *places, uint32_t function, int lineno)
{
    const uint32_t key[] = {function, (uint32_t)lineno};
    bool is_new;
    if (places->frames.n == 0)
        vec_push(&places->frames);
    size_t *id = map_at(&places->frame_ids, key, sizeof key, &is_new);
    if (is_new) {
        *id = places->frames.n;
        const char *path = places->functions.items[function].path;
        *vec_push(&places->frames) = (struct frame){function, line_id(places, path, lineno)};
    }
    return (uint32_t)*id;
}

void places_seen(struct places *places, uint32_t frame, uint64_t time_ns)
{
    struct line *line = &places->lines.items[places->frames.items[frame].line];
    if (line->n_seen++ % line->stride != 0)
        return;
    if (line->times_ns.n == LINE_TIMES_MAX) {
        for (size_t i = 0; i < LINE_TIMES_MAX / 2; i++)
            line->times_ns.items[i] = line->times_ns.items[2 * i];
        line->times_ns.n = LINE_TIMES_MAX / 2;
        line->stride *= 2;
        if ((line->n_seen - 1) % line->stride != 0)
            return;
    }
    *vec_push(&line->times_ns) = time_ns;
}

void places_fini(struct places *places)
{
    for (size_t i = 0; i < places->lines.n; i++)
        vec_fini(&places->lines.items[i].times_ns);
    vec_fini(&places->functions);
    vec_fini(&places->lines);
    vec_fini(&places->frames);
    map_fini(&places->function_ids);
    map_fini(&places->line_ids);
    map_fini(&places->frame_ids);
}
