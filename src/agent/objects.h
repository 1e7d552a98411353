/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of sampled blocks that are still allocated. Size, weight and place of each are
 * known outside; here only whether a block that is freed is one of them. */
#ifndef SCALENE_AGENT_OBJECTS_H
#define SCALENE_AGENT_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#define OBJECTS_FILTER_SHIFT 8 /* blocks of so many bytes share a count */
#define OBJECTS_FILTER_BITS  20
/* How many sampled blocks lie around an address; a count of 255 sticks. Read by every free. */
extern _Atomic uint8_t objects_filter[1u << OBJECTS_FILTER_BITS];

/* False: surely not a sampled block. Context: signal | hook */
static inline bool objects_may_have(const void *block)
{
    uint64_t at = (uint64_t)(uintptr_t)block >> OBJECTS_FILTER_SHIFT;
    return __builtin_expect(
        __atomic_load_n((const uint8_t *)&objects_filter[at & ((1u << OBJECTS_FILTER_BITS) - 1)],
                        __ATOMIC_RELAXED) != 0,
        0);
}

/* False: there is no room. */
bool objects_add(uint64_t address, uint64_t now_ns);
/* True: it was there; *stamp says when it was added. */
bool objects_remove(uint64_t address, uint16_t *stamp);
/* Added less than a millisecond before: true of all that is younger than half of one, and of one in
 * 20,000 that are older than 17 s. */
bool objects_is_young(uint16_t stamp, uint64_t now_ns);
/* From now on objects_may_have() says yes of the block, whatever is added and removed. */
void objects_pin(const void *block);
/* In a forked child there are no sampled blocks, and the pins made so far. Context: boot */
void objects_wipe_on_fork(void);
/* How many times rarer samples should be for the room there is: 1 while it is at most half used. */
uint32_t objects_crowd(void);

#endif
