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

struct memo_slot *memo_slot(struct memo *memo, uint64_t hash)
{
    if (!memo->slots) {
        /* Zeroed by the kernel, page by page as they are used: most runs ask few questions. */
        memo->slots = xcalloc(MEMO_SLOTS, sizeof *memo->slots);
    }
    return &memo->slots[hash & (MEMO_SLOTS - 1)];
}

void memo_clear(struct memo *memo)
{
    if (memo->slots)
        memset(memo->slots, 0, MEMO_SLOTS * sizeof *memo->slots);
}

void memo_fini(struct memo *memo)
{
    free(memo->slots);
    memo->slots = NULL;
}
