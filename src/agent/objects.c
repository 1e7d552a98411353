/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of addresses in buckets of one cache line, and a table of counts before it, so that
 * nearly every free of an ordinary block costs one load.
 *
 * Synchronization: a slot is taken by swapping the address in and freed by storing 0; nothing ever
 * moves. A block is added before anybody else can free it and removed before it can be reused. */
#include "agent/objects.h"

#include "agent/wipe.h"

#include <stdatomic.h>

#include "agent/safe.h"

#define BUCKETS        65536u
#define SLOTS          8
#define BUCKETS_PROBED 64u

/* Addresses of programs leave the upper 16 bits of a word free: there a slot notes when its block
 * was added, by a clock that counts quarters of a millisecond and turns over every 17 s. */
#define ADDRESS_BITS 48
#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)
#define STAMP_SHIFT  18
#define YOUNG_STAMPS 2u

static struct table {
    _Atomic uint64_t buckets[BUCKETS][SLOTS];
    /* A bucket that was full once: what belongs there may lie further on. */
    _Atomic uint8_t has_overflowed[BUCKETS];
    _Atomic uint32_t n_objects;
} WIPE_ALIGNED table;

#define FILTER_BYTES (1u << OBJECTS_FILTER_BITS)
#define FILTER_PAGES (FILTER_BYTES / WIPE_PAGE_BYTES)
_Atomic uint8_t objects_filter[FILTER_BYTES] WIPE_ALIGNED;
static bool has_pin[FILTER_PAGES]; /* by page of the filter; written before there are threads */

/* Neighbours in the heap are neighbours here: 512 bytes of it share a bucket, whose 8 places are
 * enough even if every block of 64 bytes is sampled. So the table takes an eighth of
 * the room in the caches that the program's own blocks do. Only regions of 32 MiB are strewn about.
 */
static uint32_t bucket_of(uint64_t address)
{
    uint64_t region = (address >> 25) * 0x9e3779b97f4a7c15ull >> 48;
    return (uint32_t)((address >> 9) + region) % BUCKETS;
}

/* Where a bucket is full its neighbours are, too. */
static uint32_t next_bucket(uint32_t at)
{
    return (at + 40503) % BUCKETS;
}

static _Atomic uint8_t *filter_at(uint64_t address)
{
    return &objects_filter[address >> OBJECTS_FILTER_SHIFT & ((1u << OBJECTS_FILTER_BITS) - 1)];
}

static void filter_change(uint64_t address, int by)
{
    _Atomic uint8_t *count = filter_at(address);
    uint8_t now = atomic_load_explicit(count, memory_order_relaxed);
    while (now != UINT8_MAX &&
           !atomic_compare_exchange_weak_explicit(count, &now, (uint8_t)(now + by),
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

static uint64_t stamped(uint64_t address, uint64_t now_ns)
{
    return (address & ADDRESS_MASK) | now_ns >> STAMP_SHIFT << ADDRESS_BITS;
}

bool objects_add(uint64_t address, uint64_t now_ns)
{
    uint64_t word = stamped(address, now_ns);
    uint32_t at = bucket_of(address);
    for (unsigned i = 0; i < BUCKETS_PROBED; i++, at = next_bucket(at)) {
        for (int k = 0; k < SLOTS; k++) {
            uint64_t empty = 0;
            if (atomic_compare_exchange_strong_explicit(&table.buckets[at][k], &empty, word,
                                                        memory_order_acq_rel,
                                                        memory_order_relaxed)) {
                filter_change(address, 1);
                atomic_fetch_add_explicit(&table.n_objects, 1, memory_order_relaxed);
                return true;
            }
        }
        atomic_store_explicit(&table.has_overflowed[at], 1, memory_order_relaxed);
    }
    return false;
}

static void clear(_Atomic uint64_t *slot, uint64_t address)
{
    atomic_store_explicit(slot, 0, memory_order_release);
    filter_change(address, -1);
    atomic_fetch_sub_explicit(&table.n_objects, 1, memory_order_relaxed);
}

bool objects_remove(uint64_t address, uint16_t *stamp)
{
    uint32_t at = bucket_of(address);
    for (unsigned i = 0; i < BUCKETS_PROBED; i++, at = next_bucket(at)) {
        for (int k = 0; k < SLOTS; k++) {
            uint64_t word = atomic_load_explicit(&table.buckets[at][k], memory_order_acquire);
            if (((word ^ address) & ADDRESS_MASK) != 0)
                continue;
            *stamp = (uint16_t)(word >> ADDRESS_BITS);
            clear(&table.buckets[at][k], address);
            return true;
        }
        if (!atomic_load_explicit(&table.has_overflowed[at], memory_order_relaxed))
            return false;
    }
    return false;
}

bool objects_is_young(uint16_t stamp, uint64_t now_ns)
{
    return (uint16_t)((now_ns >> STAMP_SHIFT) - stamp) <= YOUNG_STAMPS;
}

void objects_pin(const void *block)
{
    _Atomic uint8_t *count = filter_at((uint64_t)(uintptr_t)block);
    atomic_store_explicit(count, UINT8_MAX, memory_order_relaxed);
    has_pin[(size_t)(count - objects_filter) / WIPE_PAGE_BYTES] = true;
}

/* The child has no record of its parent's blocks: to it they are like any other. */
void objects_wipe_on_fork(void)
{
    wipe_on_fork(&table, sizeof table);
    for (size_t i = 0, start = 0; i <= FILTER_PAGES; i++) {
        if (i < FILTER_PAGES && !has_pin[i])
            continue;
        if (start < i)
            wipe_on_fork(objects_filter + start * WIPE_PAGE_BYTES, (i - start) * WIPE_PAGE_BYTES);
        start = i + 1;
    }
}

/* By the eighths of the table in use: the last one is left to what cannot be made rarer in time. */
uint32_t objects_crowd(void)
{
    static const uint16_t factors[] = {1, 1, 1, 1, 2, 4, 16, 256, 256};
    uint32_t n = atomic_load_explicit(&table.n_objects, memory_order_relaxed);
    uint32_t eighths = n / (BUCKETS * SLOTS / 8);
    return factors[eighths > 8 ? 0 : eighths]; /* a removal may be counted before its addition */
}
