/* SPDX-License-Identifier: Apache-2.0 */
/* Values over time: few points, and none of the extremes is lost. */
#include "analyze/timeline.h"

#include "../check.h"

#define MS UINT64_C(1000000)

static struct timeline_point points[TIMELINE_POINTS];

static void extremes_survive_any_length(void)
{
    struct timeline timeline = {0};
    for (uint64_t i = 0; i < 100000; i++)
        timeline_add(&timeline, i * MS, i == 77777 ? 900 : i == 33333 ? 1 : 100 + i % 7);
    size_t n = timeline_points(&timeline, points);
    uint64_t largest = 0, least = UINT64_MAX;
    CHECK(n > TIMELINE_STRETCHES && n <= TIMELINE_POINTS);
    for (size_t i = 0; i < n; i++) {
        CHECK(i == 0 || points[i].time_ns >= points[i - 1].time_ns);
        largest = points[i].value > largest ? points[i].value : largest;
        if (points[i].time_ns > 1000 * MS)
            least = points[i].value < least ? points[i].value : least;
    }
    CHECK(largest == 900 && least == 1);
}

static void a_value_stays_until_the_next_one(void)
{
    struct timeline timeline = {0};
    timeline_add(&timeline, 0, 5);
    timeline_add(&timeline, 20 * MS + 10, 7);
    size_t n = timeline_points(&timeline, points);
    CHECK(n == 4); /* 0 and 5 at the start, 5 and 7 at the end */
    CHECK(points[2].value == 5 && points[2].time_ns == 20 * MS);
    CHECK(points[3].value == 7 && points[3].time_ns == 20 * MS + 10);
}

static void a_stretch_ends_with_its_last_value(void)
{
    struct timeline timeline = {0};
    timeline_add(&timeline, 1, 8);
    timeline_add(&timeline, 2, 16);
    timeline_add(&timeline, 3, 8);
    size_t n = timeline_points(&timeline, points);
    CHECK(n == 3 && points[1].value == 16 && points[2].value == 8);
}

static void nothing_has_no_points(void)
{
    CHECK(timeline_points(&(struct timeline){0}, points) == 0);
}

int main(void)
{
    RUN(extremes_survive_any_length);
    RUN(a_value_stays_until_the_next_one);
    RUN(a_stretch_ends_with_its_last_value);
    RUN(nothing_has_no_points);
    return 0;
}
