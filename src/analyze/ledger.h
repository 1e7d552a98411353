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
/* Stacks were merged: every entry's stack is new_ids[stack] from now on. */
void ledger_move_stacks(struct ledger *ledger, const uint32_t *new_ids);
void ledger_fini(struct ledger *ledger);

#endif
