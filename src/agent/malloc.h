/* SPDX-License-Identifier: Apache-2.0 */
/* The allocation functions behind the ones we interpose: the libc's, or those of another allocator
 * that was preloaded after us. */
#ifndef SCALENE_AGENT_MALLOC_H
#define SCALENE_AGENT_MALLOC_H

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

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
    size_t (*usable_size)(void *);
};
extern struct heap heap;

/* Looks them up once; false while that is under way. */
bool heap_ready(void);

#endif
