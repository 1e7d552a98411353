/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of an interpreter, seen from inside (agent/peek.c) or from outside (watch/remote.c).
 */
#ifndef SCALENE_FRAME_MEMORY_H
#define SCALENE_FRAME_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory {
    /* False: not all of it can be read; what is in `out` then does not matter. */
    bool (*read)(void *context, uint64_t address, void *out, size_t n_bytes);
    void *context;
};

/* The word there, or 0 when it cannot be read. Context: signal | any thread */
static inline uint64_t memory_word(const struct memory *m, uint64_t address)
{
    uint64_t value;
    return m->read(m->context, address, &value, sizeof value) ? value : 0;
}

#endif
