/* SPDX-License-Identifier: Apache-2.0 */
/* A plain list that is searched from end to end: mapping memory takes a system call and page
 * faults, so that a look at a few hundred words more is not felt.
 *
 * Synchronization: a slot is taken by swapping BUSY into `low`, and given back by storing the
 * range's own address, or 0; only the owner touches the rest. Whoever meets BUSY passes by: two
 * threads that have to do with the same range at the same time are racing already. */
#include "agent/ranges.h"

#include "agent/wipe.h"

#include <stdatomic.h>

#include "agent/safe.h"

#define SLOTS 4096u
#define BUSY  1u /* no mapping begins there */

struct slot {
    _Atomic uint64_t low;  /* 0: free */
    _Atomic uint64_t high; /* of the range; a hint to all but the owner */
    struct range range;
};

static struct table {
    struct slot slots[SLOTS];
    _Atomic uint32_t n_used; /* slots from here on have never been taken */
} WIPE_ALIGNED table;

static bool claim(struct slot *slot, uint64_t low)
{
    return atomic_compare_exchange_strong_explicit(&slot->low, &low, BUSY, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void note_used(uint32_t n)
{
    uint32_t now = atomic_load_explicit(&table.n_used, memory_order_relaxed);
    while (now < n && !atomic_compare_exchange_weak_explicit(
                          &table.n_used, &now, n, memory_order_release, memory_order_relaxed))
        ;
}

bool ranges_add(const struct range *range)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (atomic_load_explicit(&table.slots[i].low, memory_order_relaxed) != 0 ||
            !claim(&table.slots[i], 0))
            continue;
        table.slots[i].range = *range;
        atomic_store_explicit(&table.slots[i].high, range->high, memory_order_relaxed);
        /* Pairs with the acquire of claim() in ranges_take: the range is whole. */
        atomic_store_explicit(&table.slots[i].low, range->low, memory_order_release);
        note_used(i + 1);
        return true;
    }
    return false;
}

bool ranges_take(uint64_t low, uint64_t high, struct range *out)
{
    uint32_t n = atomic_load_explicit(&table.n_used, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = atomic_load_explicit(&table.slots[i].low, memory_order_acquire);
        if (at <= BUSY || at >= high ||
            atomic_load_explicit(&table.slots[i].high, memory_order_relaxed) <= low ||
            !claim(&table.slots[i], at))
            continue;
        *out = table.slots[i].range;
        bool is_in = out->low < high && out->high > low;
        atomic_store_explicit(&table.slots[i].low, is_in ? 0 : out->low, memory_order_release);
        if (is_in)
            return true;
    }
    return false;
}

void ranges_wipe_on_fork(void)
{
    wipe_on_fork(&table, sizeof table);
}
