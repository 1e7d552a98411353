/* SPDX-License-Identifier: Apache-2.0 */
/* A value over time in a fixed amount of memory: the least, the largest and the last of every
 * stretch of time. When time goes beyond the last stretch, two neighbours each become one. */
#ifndef SCALENE_ANALYZE_TIMELINE_H
#define SCALENE_ANALYZE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#define TIMELINE_STRETCHES 32u /* three points each: with the end fewer than upstream's 100 */
#define TIMELINE_POINTS    (3 * TIMELINE_STRETCHES)

struct timeline_point {
    uint64_t time_ns; /* since the start */
    uint64_t value;
};

struct timeline_stretch {
    struct timeline_point least, largest, latest;
    uint32_t is_used, unused;
};

/* Zero-initialise. */
struct timeline {
    uint64_t stretch_ns; /* 0: nothing came yet */
    uint64_t last;       /* the latest value */
    struct timeline_stretch stretches[TIMELINE_STRETCHES];
};

/* The value is `value` from that moment on. Moments may come a little out of order. */
void timeline_add(struct timeline *timeline, uint64_t time_ns, uint64_t value);
/* Fills in at most TIMELINE_POINTS points in the order of time; returns how many. */
size_t timeline_points(const struct timeline *timeline, struct timeline_point *points);

#endif
