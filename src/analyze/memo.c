/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memo.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

uint64_t memo_hash(uint64_t hash, const void *words, size_t n)
{
    const uint8_t *at = words;
    for (size_t i = 0; i < n; i++, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    hash *= 0xd6e8feb86659fd93ull;
    hash ^= hash >> 29;
    return hash ? hash : 1;
}

/* Most runs ask few questions, and every page of slots costs a moment when it is first used. */
static void grow(struct memo *memo)
{
    struct memo old = *memo;
    memo->n_slots = old.n_slots ? 4 * old.n_slots : MEMO_SLOTS_MIN;
    memo->slots = xcalloc(memo->n_slots, sizeof *memo->slots);
    memo->n_misses = 0;
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].hash)
            memo->slots[old.slots[i].hash & (memo->n_slots - 1)] = old.slots[i];
    free(old.slots);
}

struct memo_slot *memo_slot(struct memo *memo, uint64_t hash)
{
    if (memo->n_misses >= memo->n_slots / 4 && memo->n_slots < MEMO_SLOTS_MAX)
        grow(memo);
    struct memo_slot *slot = &memo->slots[hash & (memo->n_slots - 1)];
    memo->n_misses += slot->hash != hash;
    return slot;
}

void memo_clear(struct memo *memo)
{
    if (memo->slots)
        memset(memo->slots, 0, memo->n_slots * sizeof *memo->slots);
}

void memo_fini(struct memo *memo)
{
    free(memo->slots);
    *memo = (struct memo){0};
}
