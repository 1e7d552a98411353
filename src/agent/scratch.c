/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization: whoever clears a bit of `free_areas` owns that area until he sets it again. */
#include "agent/scratch.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/safe.h"

#define AREAS 64u

static unsigned char areas[AREAS][SCRATCH_BYTES] __attribute__((aligned(64)));
static _Atomic uint64_t free_areas = UINT64_MAX;

void *scratch_take(unsigned *number)
{
    uint64_t bits = atomic_load_explicit(&free_areas, memory_order_relaxed);
    while (bits) {
        unsigned i = (unsigned)__builtin_ctzll(bits);
        if (atomic_compare_exchange_weak_explicit(&free_areas, &bits, bits & ~((uint64_t)1 << i),
                                                  memory_order_acquire, memory_order_relaxed)) {
            *number = i;
            return areas[i];
        }
    }
    return NULL;
}

void scratch_give_back(unsigned number)
{
    atomic_fetch_or_explicit(&free_areas, (uint64_t)1 << number, memory_order_release);
}

void scratch_after_fork(void)
{
    atomic_store_explicit(&free_areas, UINT64_MAX, memory_order_relaxed);
}
