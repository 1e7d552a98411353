/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

struct map_slot {
    uint64_t hash; /* 0: empty */
    const void *key;
    size_t key_bytes;
    size_t value;
};

/* Word by word, then the rest, with a final mix; never 0. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t n)
{
    uint64_t hash = n * 0x9e3779b97f4a7c15ull, word;
    for (; n >= sizeof word; bytes += sizeof word, n -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * 0xff51afd7ed558ccdull;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, bytes, n);
    hash = (hash ^ word) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 29;
    hash *= 0x9e3779b97f4a7c15ull;
    return (hash ^ hash >> 32) | 1;
}

static struct map_slot *slot_of(const struct map *map, uint64_t hash, const void *key, size_t n)
{
    size_t i = (size_t)(hash >> 1) & (map->room - 1);
    for (;; i = (i + 1) & (map->room - 1)) {
        struct map_slot *slot = &map->slots[i];
        if (slot->hash == 0 ||
            (slot->hash == hash && slot->key_bytes == n && memcmp(slot->key, key, n) == 0))
            return slot;
    }
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->room = old.room ? old.room * 2 : 64;
    map->slots = xrealloc(NULL, map->room * sizeof *map->slots);
    memset(map->slots, 0, map->room * sizeof *map->slots);
    for (size_t i = 0; i < old.room; i++) {
        const struct map_slot *slot = &old.slots[i];
        if (slot->hash)
            *slot_of(map, slot->hash, slot->key, slot->key_bytes) = *slot;
    }
    free(old.slots);
}

size_t *map_at(struct map *map, const void *key, size_t key_bytes, bool *is_new)
{
    if (4 * (map->n + 1) > 3 * map->room)
        grow(map);
    uint64_t hash = hash_bytes(key, key_bytes);
    struct map_slot *slot = slot_of(map, hash, key, key_bytes);
    if (is_new)
        *is_new = slot->hash == 0;
    if (slot->hash == 0) {
        *slot = (struct map_slot){hash, arena_strndup(&map->keys, key, key_bytes), key_bytes, 0};
        map->n++;
    }
    return &slot->value;
}

const size_t *map_find(const struct map *map, const void *key, size_t key_bytes)
{
    if (!map->room)
        return NULL;
    struct map_slot *slot = slot_of(map, hash_bytes(key, key_bytes), key, key_bytes);
    return slot->hash ? &slot->value : NULL;
}

void map_fini(struct map *map)
{
    free(map->slots);
    arena_fini(&map->keys);
    *map = (struct map){0};
}

const char *strtab_add(struct strtab *table, const char *text, size_t n_bytes)
{
    size_t *value = map_at(&table->map, text, n_bytes, NULL);
    if (*value == 0)
        *value = (size_t)(uintptr_t)arena_strndup(&table->map.keys, text, n_bytes);
    return (const char *)(uintptr_t)*value;
}

void strtab_fini(struct strtab *table)
{
    map_fini(&table->map);
}
