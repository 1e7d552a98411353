/* SPDX-License-Identifier: Apache-2.0 */
/* Two hash maps: from bytes to a number, and names kept once. */
#ifndef SCALENE_BASE_MAP_H
#define SCALENE_BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot;

/* From keys of any bytes to size_t. Keys are copied into the map. Zero-initialise. */
struct map {
    struct map_slot *slots; /* owns */
    size_t n, room;
    struct arena keys;
};

/* The value of a key, made (as 0) if it is not there; *is_new tells (may be NULL). The address is
 * good until the next map_at. */
size_t *map_at(struct map *map, const void *key, size_t key_bytes, bool *is_new);
/* NULL when the key is not there. */
const size_t *map_find(const struct map *map, const void *key, size_t key_bytes);
void map_fini(struct map *map);

/* Strings kept once: equal texts have the same address, so that they compare by address. */
struct strtab {
    struct map map;
};
const char *strtab_add(struct strtab *table, const char *text, size_t n_bytes);
void strtab_fini(struct strtab *table);

#endif
