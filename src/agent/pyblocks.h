/* SPDX-License-Identifier: Apache-2.0 */
/* How large a block of Python's own allocators is: a realloc counts its growth, and what it grows
 * from they tell nobody. */
#ifndef SCALENE_AGENT_PYBLOCKS_H
#define SCALENE_AGENT_PYBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pyblocks_functions {
    void *context;
    void *(*malloc)(void *, size_t);
    void (*free)(void *, void *);
};

/* Finds out by trying where the allocator notes the sizes of its blocks: mimalloc, which maps its
 * memory itself, or pymalloc. Context: boot */
void pyblocks_learn(const struct pyblocks_functions *functions, bool maps_itself);
/* The size of a block of its; 0: not known. Of a block that is another's it says anything.
 * Context: hook */
uint64_t pyblocks_size(const void *block);

#endif
