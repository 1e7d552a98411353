/* SPDX-License-Identifier: Apache-2.0 */
/* What the allocation hooks share: the slow paths that write records. */
#ifndef SCALENE_AGENT_BLOCKS_H
#define SCALENE_AGENT_BLOCKS_H

#include "agent/countdown.h"
#include "agent/objects.h"
#include "agent/ranges.h"

#include <stddef.h>

/* The countdown of `domain` has just run out by this block, which may be NULL (it could not be
 * had). `old_size`: what a realloc grew from. Context: hook */
void blocks_new(enum memory_domain domain, const void *block, size_t size, size_t old_size);
/* The countdown of copies has run out. Context: hook */
void blocks_copied(size_t size);
/* The filter says that the block may be a sampled one, and it is about to be given back: true if it
 * was. Context: hook */
bool blocks_gone(const void *block);
/* It was not given back after all: a realloc failed. Context: hook */
void blocks_back(const void *block);
/* The process ends: the last chance for what found no room. Context: the end of the process */
void blocks_finish(void);

/* Memory was mapped that has to be counted. `old_size`: what mremap grew from. Context: hook */
void blocks_mapped(const void *at, size_t size, size_t old_size);
/* [at, at + size) is about to be unmapped: whole mappings, parts of them, or none. Context: hook */
void blocks_unmapped(const void *at, size_t size);
/* It is about to be moved or resized: true if it was counted, and what it was. Context: hook */
bool blocks_moved(const void *at, size_t size, struct range *was);
/* It was not, after all. Context: hook */
void blocks_stayed(const struct range *was);

#endif
