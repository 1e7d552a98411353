/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/ledger.h"

#include <assert.h>

static_assert(sizeof(struct account) == 24, "accounts are compared as bytes: no padding");

void ledger_add(struct ledger *ledger, const struct account *account, double time_ns,
                uint64_t n_seen)
{
    bool is_new;
    size_t *id = map_at(&ledger->ids, account, sizeof *account, &is_new);
    if (is_new) {
        *id = ledger->n;
        vec_push(ledger)->account = *account;
    }
    struct entry *entry = &ledger->items[*id];
    entry->time_ns += time_ns;
    entry->n_seen += n_seen;
}

void ledger_add_part(struct ledger *ledger, uint32_t part, const struct entry *entry,
                     double time_ns)
{
    struct account account = entry->account;
    account.part = part;
    ledger_add(ledger, &account, time_ns, entry->n_seen);
}

void ledger_move_stacks(struct ledger *ledger, const uint32_t *new_ids)
{
    struct ledger moved = {0};
    for (size_t i = 0; i < ledger->n; i++) {
        struct entry entry = ledger->items[i];
        if (entry.account.frame)
            entry.account.stack = new_ids[entry.account.stack];
        ledger_add(&moved, &entry.account, entry.time_ns, entry.n_seen);
    }
    ledger_fini(ledger);
    *ledger = moved;
}

void ledger_halve_slices(struct ledger *ledger)
{
    struct ledger halved = {0};
    for (size_t i = 0; i < ledger->n; i++) {
        struct entry entry = ledger->items[i];
        entry.account.slice /= 2;
        ledger_add(&halved, &entry.account, entry.time_ns, entry.n_seen);
    }
    ledger_fini(ledger);
    *ledger = halved;
}

void ledger_fini(struct ledger *ledger)
{
    vec_fini(ledger);
    map_fini(&ledger->ids);
}
