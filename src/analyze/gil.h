/* SPDX-License-Identifier: Apache-2.0 */
/* Who waited for the interpreter's lock while who held it, by line. */
#ifndef SCALENE_ANALYZE_GIL_H
#define SCALENE_ANALYZE_GIL_H

#include "analyze/places.h"
#include "analyze/profile.h"

#define GIL_PAIRS_MAX 200u /* of a result; nobody reads more */

struct gil_pair {
    uint32_t waiter, holder; /* frames of struct places, each the first seen of its line */
    double wait_ns;
};

/* Zero-initialise. */
struct gil {
    struct gil_pair *items;
    size_t n, room;
    struct map ids;  /* (line, line) -> index plus one; a line is its index plus one, 0: unknown */
    double other_ns; /* of pairs that were too small to be kept */
};

/* Frames may be PLACES_NO_FRAME: unknown. */
void gil_add(struct gil *gil, const struct places *places, uint32_t waiter, uint32_t holder,
             double wait_ns);
/* The dearest pairs, the dearest first; the others are one pair at the end. */
void gil_result(const struct gil *gil, const struct places *places, struct arena *arena,
                struct profile_result *result);
void gil_fini(struct gil *gil);

#endif
