/* SPDX-License-Identifier: Apache-2.0 */
/* How often to look: as often as the answer gets better by it, as seldom as the cost demands.
 *
 * Looks come at random moments, so that no rhythm of the target can hide from them. They are rarer
 *  - while all threads do nothing but run or nothing but wait, for then there is little to see;
 *  - while threads want to run and have no CPU, which is no time to take one from them;
 *  - in a long run, which has them in plenty;
 *  - where threads take turns by the thousand each second and yet use little CPU time: there a look
 *    costs as much as many turns, and what it sees has nothing to do with what the last one saw,
 *    be it ten or twenty milliseconds ago. */
#ifndef SCALENE_WATCH_PACE_H
#define SCALENE_WATCH_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
    int64_t start_ns;     /* the first look */
    int64_t looked_ns;    /* the last one */
    int64_t calm_ns;      /* since when there was nothing to see */
    double cost_ns;       /* of a look, on average */
    double ran_share;     /* of the wall clock that all threads ran, on average */
    double delayed_share; /* of the wall clock that threads wanted to run and had no CPU */
    double turns_per_s;
    uint64_t random;
};

/* What a look has found. */
struct pace_look {
    int64_t now_ns;
    int64_t cost_ns; /* of our own CPU time, with what it takes to be woken */
    /* Of all threads, since the look before. The kernel's books may be behind a clock that a thread
     * told itself: then less than nothing. */
    int64_t ran_ns, delayed_ns, n_turns;
    bool is_calm; /* no thread has both run and waited since */
};

void pace_init(struct pace *pace);
/* After a look: how long to rest until the next. */
int64_t pace_next_ns(struct pace *pace, const struct pace_look *look);

#endif
