/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of memory for one place: a line, a function, the whole, or a part of what is on no line.
 * Sums of bytes are weights: estimates with the variance beside them. */
#ifndef SCALENE_ANALYZE_MEMORY_SITE_H
#define SCALENE_ANALYZE_MEMORY_SITE_H

#include "analyze/heap.h"
#include "analyze/leak.h"
#include "analyze/profile.h"
#include "analyze/timeline.h"

/* What is live when a process ends; of processes that still run, now. */
struct site_end {
    uint64_t bytes;
    double variance;
    struct leak leak; /* of lines */
};

struct site {
    double allocated, variance; /* growth only, of a realloc */
    double n_allocations, python, copied;
    double lives[PROFILE_LIVES];
    uint64_t n_samples;
    uint64_t live, largest, at_peak;
    double live_variance;
    double area; /* live bytes times nanoseconds until moved_ns */
    uint64_t moved_ns;
    struct site_end ended, end; /* of processes that are over; of all, made with the result */
    struct timeline *timeline;  /* owns; NULL: of a function, or nothing came yet */
};

/* Live bytes change; the unsigned sum of all changes of a block is nothing. */
void site_move(struct site *site, uint64_t now_ns, uint64_t bytes, double variance);
/* One sampled allocation of that many bytes, or copy; is_first: as rows.h has it. */
void site_count(struct site *site, const struct record_alloc *record, double chance, bool is_first);

/* Everything that is charged for one block. */
struct site_list {
    struct site *items[3];
    size_t n;
};

/* The whole, and a frame's line and function, or for PLACES_NO_FRAME that part of the outside. */
struct site_list sites_of(struct profile *profile, uint32_t frame, uint16_t outside);

#endif
