/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES       (64u * 1024u)
#define FIRST_BLOCK_BYTES (4u * 1024u) /* many arenas stay small; each block is twice the last */

struct arena_block {
    struct arena_block *next;
    size_t used, room;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *xrealloc(void *old, size_t n_bytes)
{
    void *block = realloc(old, n_bytes ? n_bytes : 1);
    if (!block) {
        fprintf(stderr, "scalene: out of memory (%zu bytes).\n", n_bytes);
        exit(70);
    }
    return block;
}

void *xcalloc(size_t n, size_t n_bytes)
{
    void *block = calloc(n, n_bytes);
    if (!block) {
        fprintf(stderr, "scalene: out of memory (%zu times %zu bytes).\n", n, n_bytes);
        exit(70);
    }
    return block;
}

static struct arena_block *block_new(size_t room)
{
    struct arena_block *block = xcalloc(1, sizeof *block + room);
    block->room = room;
    return block;
}

void *arena_alloc(struct arena *arena, size_t n_bytes)
{
    size_t need = (n_bytes + 15) & ~(size_t)15;
    struct arena_block *block = arena->blocks;
    if (need > BLOCK_BYTES / 4) { /* a block of its own, behind the one in use */
        struct arena_block *own = block_new(need);
        own->used = need;
        own->next = block ? block->next : NULL;
        if (block)
            block->next = own;
        else
            arena->blocks = own;
        return own->bytes;
    }
    if (!block || block->room - block->used < need) {
        size_t room = block && block->room < BLOCK_BYTES / 2 ? 2 * block->room
                      : block                                ? BLOCK_BYTES
                                                             : FIRST_BLOCK_BYTES;
        block = block_new(room < need ? BLOCK_BYTES : room);
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *start = block->bytes + block->used;
    block->used += need;
    return start;
}

char *arena_strndup(struct arena *arena, const char *text, size_t n_bytes)
{
    char *copy = arena_alloc(arena, n_bytes + 1);
    memcpy(copy, text, n_bytes);
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_alloc(arena, (size_t)(n < 0 ? 0 : n) + 1);
    vsnprintf(text, (size_t)(n < 0 ? 0 : n) + 1, format, again);
    va_end(again);
    return text;
}

void arena_fini(struct arena *arena)
{
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    arena->blocks = NULL;
}
