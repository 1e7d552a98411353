/* SPDX-License-Identifier: Apache-2.0 */
/* Anonymous mappings that were counted and are still there, whole or in part. Unlike a block of
 * malloc a mapping can be given back piece by piece, and several with one call; so it is kept with
 * its size and with what a record of the rest needs. */
#ifndef SCALENE_AGENT_RANGES_H
#define SCALENE_AGENT_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct range {
    uint64_t low, high; /* addresses [low, high) */
    uint64_t mean;      /* of the record that tells of it */
    uint32_t stack;
    uint32_t generation; /* of the process that mapped it */
    uint16_t flags;      /* of the record */
    bool is_sampled;     /* false: it was counted, but no record tells of it */
};

/* False: there is no room. Context: signal | hook */
bool ranges_add(const struct range *range);
/* Takes out one that has bytes in [low, high); false: there is none. Context: signal | hook */
bool ranges_take(uint64_t low, uint64_t high, struct range *out);
/* A forked child knows of none. Context: boot */
void ranges_wipe_on_fork(void);

#endif
