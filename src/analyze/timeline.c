/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/timeline.h"

#include <string.h>

#define FIRST_STRETCH_NS 1000000u /* runs shorter than 32 ms have fewer points */

static void join(struct timeline_stretch *into, const struct timeline_stretch *other)
{
    if (!other->is_used)
        return;
    if (!into->is_used) {
        *into = *other;
        return;
    }
    if (other->least.value < into->least.value)
        into->least = other->least;
    if (other->largest.value > into->largest.value)
        into->largest = other->largest;
    into->latest = other->latest;
}

static void halve(struct timeline *timeline)
{
    for (size_t i = 0; i < TIMELINE_STRETCHES / 2; i++) {
        struct timeline_stretch joined = timeline->stretches[2 * i];
        join(&joined, &timeline->stretches[2 * i + 1]);
        timeline->stretches[i] = joined;
    }
    memset(timeline->stretches + TIMELINE_STRETCHES / 2, 0,
           TIMELINE_STRETCHES / 2 * sizeof *timeline->stretches);
    timeline->stretch_ns *= 2;
}

static void add_point(struct timeline_stretch *stretch, uint64_t time_ns, uint64_t value)
{
    const struct timeline_point point = {time_ns, value};
    join(stretch, &(struct timeline_stretch){point, point, point, 1, 0});
}

void timeline_add(struct timeline *timeline, uint64_t time_ns, uint64_t value)
{
    if (timeline->stretch_ns == 0)
        timeline->stretch_ns = FIRST_STRETCH_NS;
    while (time_ns / timeline->stretch_ns >= TIMELINE_STRETCHES)
        halve(timeline);
    struct timeline_stretch *stretch = &timeline->stretches[time_ns / timeline->stretch_ns];
    if (!stretch->is_used) /* until this moment it was what it was before */
        add_point(stretch, time_ns / timeline->stretch_ns * timeline->stretch_ns, timeline->last);
    add_point(stretch, time_ns, value);
    timeline->last = value;
}

size_t timeline_points(const struct timeline *timeline, struct timeline_point *points)
{
    size_t n = 0;
    for (size_t i = 0; i < TIMELINE_STRETCHES; i++) {
        const struct timeline_stretch *stretch = &timeline->stretches[i];
        if (!stretch->is_used)
            continue;
        const struct timeline_point *first = &stretch->least, *second = &stretch->largest;
        if (second->time_ns < first->time_ns) {
            first = &stretch->largest;
            second = &stretch->least;
        }
        points[n++] = *first;
        if (first->value != second->value)
            points[n++] = *second;
        if (stretch->latest.value != second->value && stretch->latest.time_ns >= second->time_ns)
            points[n++] = stretch->latest;
    }
    return n;
}
