/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory_site.h"

#include "analyze/rows.h"
#include "analyze/state.h"

#include <math.h>

static struct timeline *new_timeline(void)
{
    struct timeline *timeline = xrealloc(NULL, sizeof *timeline);
    *timeline = (struct timeline){0};
    return timeline;
}

static struct site *line_site(struct memory *memory, uint32_t line)
{
    while (memory->lines.n <= line)
        vec_push(&memory->lines);
    struct site *site = &memory->lines.items[line];
    if (!site->timeline)
        site->timeline = new_timeline();
    return site;
}

static struct site *function_site(struct memory *memory, uint32_t function)
{
    while (memory->functions.n <= function)
        vec_push(&memory->functions);
    return &memory->functions.items[function];
}

struct site_list sites_of(struct profile *profile, uint32_t frame, uint16_t outside)
{
    struct memory *memory = &profile->memory;
    if (!memory->total.timeline)
        memory->total.timeline = new_timeline();
    if (frame == PLACES_NO_FRAME)
        return (struct site_list){{&memory->total, &memory->outside[outside]}, 2};
    struct frame place = profile->places.frames.items[frame];
    return (struct site_list){
        {&memory->total, line_site(memory, place.line), function_site(memory, place.function)}, 3};
}

void site_move(struct site *site, uint64_t now_ns, uint64_t bytes, double variance)
{
    if (now_ns > site->moved_ns) {
        site->area += (double)site->live * (double)(now_ns - site->moved_ns);
        site->moved_ns = now_ns;
    }
    site->live += bytes;
    site->live_variance = fmax(0, site->live_variance + variance);
    if (site->live > site->largest)
        site->largest = site->live;
    if (site->timeline)
        timeline_add(site->timeline, now_ns, site->live);
}

void site_count(struct site *site, const struct record_alloc *record, double chance, bool is_first)
{
    double grown = record->size > record->old_size ? (double)(record->size - record->old_size) : 0;
    double bytes = grown / chance;
    site->n_samples++;
    if (record->domain == MEMORY_COPIED) {
        site->copied += (double)record->size / chance;
        return;
    }
    site->allocated += bytes;
    site->variance += rows_variance(bytes, chance, is_first);
    site->n_allocations += 1 / chance;
    site->python += record->domain == MEMORY_PYTHON ? bytes : 0;
}
