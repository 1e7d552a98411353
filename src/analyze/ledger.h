/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of time by what it was spent on. */
#ifndef SCALENE_ANALYZE_LEDGER_H
#define SCALENE_ANALYZE_LEDGER_H

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct account {
    uint32_t frame;     /* of struct places; PLACES_NO_FRAME: on no line */
    uint32_t stack;     /* of struct stacks */
    uint32_t operation; /* of struct operations where the verdict is VERDICT_HELPER, else 0 */
    uint16_t verdict;   /* enum verdict; of a wait, enum wait_kind */
    uint16_t is_helper; /* of a thread Python does not know, which works for the line */
    uint32_t part;      /* whose time it is (struct history); 0 in the ledger of a thread or pool */
    uint32_t slice;     /* when it was (struct history); 0 in that of waits */
};

struct entry {
    struct account account;
    double time_ns;
    uint64_t n_seen; /* samples of CPU time; looks at waits and idle time */
};

/* Zero-initialise. */
struct ledger {
    struct entry *items;
    size_t n, room;
    struct map ids;
};

void ledger_add(struct ledger *ledger, const struct account *account, double time_ns,
                uint64_t n_seen);
/* Adds an entry of the ledger of one thread or pool as what it is worth in the end. */
void ledger_add_part(struct ledger *ledger, uint32_t part, const struct entry *entry,
                     double time_ns);
/* Stacks were merged: every entry's stack is new_ids[stack] from now on. */
void ledger_move_stacks(struct ledger *ledger, const uint32_t *new_ids);
/* Slices 2 i and 2 i + 1 become slice i. */
void ledger_halve_slices(struct ledger *ledger);
void ledger_fini(struct ledger *ledger);

#endif
