/* SPDX-License-Identifier: Apache-2.0 */
/* The allocation functions behind the ones we interpose: the libc's, or those of another allocator
 * that was preloaded after us. */
#ifndef SCALENE_AGENT_MALLOC_H
#define SCALENE_AGENT_MALLOC_H

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

/* The first four are never NULL: until they are known, functions of ours stand there that look them
 * up. Written by heap_ready alone. */
struct heap {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void (*free_sized)(void *, size_t);
    void (*free_aligned_sized)(void *, size_t, size_t);
    size_t (*usable_size)(void *);
    /* What the program itself gets when it calls malloc: ours, unless the program or a library
     * before us brings its own. */
    void *(*chosen)(size_t);
};
extern struct heap heap;

/* Looks them up once; false while that is under way. */
bool heap_ready(void);

#endif
