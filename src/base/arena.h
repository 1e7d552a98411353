/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is given back all at once: one arena a run. */
#ifndef SCALENE_BASE_ARENA_H
#define SCALENE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* owns; the newest first */
};

/* Zeroed memory aligned for anything. Never NULL: a program out of memory ends with a sentence on
 * stderr, since no caller could do better. */
void *arena_alloc(struct arena *arena, size_t n_bytes);
char *arena_strndup(struct arena *arena, const char *text, size_t n_bytes);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_fini(struct arena *arena);

/* malloc, realloc and calloc under the same rule, for memory that is freed one by one. */
void *xrealloc(void *old, size_t n_bytes);
/* Zeroed; large blocks take memory only where they are written to. */
void *xcalloc(size_t n, size_t n_bytes);

#endif
