/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines leak, by the survival of their blocks: new ones keep being made, old ones do not go
 * away. Judged over the run of one process, of length E, when it is over:
 *
 *      0      0.1E            0.45E 0.5E                      0.9E     E
 *      +-------+----------------+---+--------------------------+--------+
 *      |start-up      h1            |         h2               |ignored |
 *      |                        |        R, in three parts     |        |
 *
 * A line leaks when of the blocks that are still there at E
 *   - four or more were made in R, some in every third of it;
 *   - making them has not stopped: the gap from the last one to the end of R is not too long for
 *     the number of moments (hundredths of R) in which some were made: leaks come in batches, too;
 *   - making them is not slowing down: h2 is not clearly less than half of h1;
 * and blocks that grew old have not been given back: of those that reached an age of 0.1E, or of
 * 0.25E, at least 85% are still there. Where numbers are compared they are weights (heap_weight):
 * samples may be ten times as dense early in the run as they are late.
 *
 * Python keeps floats, tuples and other small objects that are given back in lists of its own, and
 * hands them out again without asking for memory. A block that a leak keeps may so have been made
 * by any line. Lines all of whose blocks are of Python's small ones are not told of beside a faster
 * leak, unless they surely grow more than a twentieth as fast.
 *
 * A program often drops everything when its main function returns, just before it ends. So the
 * same is looked at from time to time, and where a leak of a look in the last tenth of the run has
 * begun to lose its blocks since, that look counts. */
#ifndef SCALENE_ANALYZE_LEAK_H
#define SCALENE_ANALYZE_LEAK_H

#include "analyze/heap.h"
#include "analyze/places.h"

struct leak {
    double likelihood; /* 0: none */
    double bytes_s;    /* how fast it grows */
    double variance;   /* of that */
    unsigned n_blocks; /* that were there, but for the youngest */
    uint64_t seen_ns;  /* how long the run was then */
    bool is_small;     /* nothing but Python's small blocks */
};

/* To be called at every record of a process: looks at its lines when it is time. */
void leak_look(struct heap *heap, const struct places *places, uint64_t start_ns, uint64_t now_ns,
               size_t n_lines);
/* Judges every line; leaks[line] is joined with what is found. */
void leak_judge(const struct heap *heap, const struct places *places, uint64_t start_ns,
                uint64_t end_ns, struct leak *leaks, size_t n_lines);
/* The faster one stands for a line that leaks in several processes. */
void leak_join(struct leak *leak, const struct leak *other);

#endif
