/* SPDX-License-Identifier: Apache-2.0 */
/* The ring's two ends. Runs in signal handlers of the target: no locks, no allocation. */
#include "wire/ring.h"

#include <string.h>
#include <sys/mman.h>

static_assert(offsetof(struct record_process, time_ns) == 8 &&
                  offsetof(struct record_thread, time_ns) == 8 &&
                  offsetof(struct record_thread_end, time_ns) == 8 &&
                  offsetof(struct record_sample, time_ns) == 8 &&
                  offsetof(struct record_alloc, time_ns) == 8 &&
                  offsetof(struct record_free, time_ns) == 8,
              "ring_peek_time reads it there");

bool ring_map(struct ring *ring, int fd, uint32_t data_bytes)
{
    size_t total = RING_HEADER_BYTES + 2 * (size_t)data_bytes;
    uint8_t *base =
        mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    void *first = mmap(base, RING_HEADER_BYTES + (size_t)data_bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED, fd, 0);
    void *again = mmap(base + RING_HEADER_BYTES + data_bytes, data_bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED, fd, RING_HEADER_BYTES);
    if (first == MAP_FAILED || again == MAP_FAILED) {
        munmap(base, total);
        return false;
    }
    ring->header = (struct ring_header *)(void *)base;
    ring->data = base + RING_HEADER_BYTES;
    ring->mask = (uint64_t)data_bytes - 1;
    return true;
}

void ring_unmap(struct ring *ring)
{
    if (ring->header)
        munmap(ring->header, RING_HEADER_BYTES + 2 * (ring->mask + 1));
    *ring = (struct ring){0};
}

void *ring_reserve(struct ring *ring, uint32_t size)
{
    if (size > RING_RECORD_MAX)
        return NULL;
    uint64_t head = atomic_load_explicit(&ring->header->head, memory_order_relaxed);
    do {
        /* Pairs with the release store of tail in ring_read: what it freed is zeroed. */
        uint64_t tail = atomic_load_explicit(&ring->header->tail, memory_order_acquire);
        if (head + size - tail > ring->mask + 1)
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&ring->header->head, &head, head + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    return ring->data + (head & ring->mask);
}

void ring_finish(void *record, uint16_t kind, uint16_t flags, uint32_t size)
{
    uint64_t word = (uint64_t)size | (uint64_t)kind << 32 | (uint64_t)flags << 48;
    /* Pairs with the acquire load in ring_peek. */
    atomic_store_explicit((_Atomic uint64_t *)record, word, memory_order_release);
}

void ring_count(struct ring *ring, enum ring_counter counter, uint64_t n)
{
    atomic_fetch_add_explicit(&ring->header->counters[counter], n, memory_order_relaxed);
}

/* The size in the header word at `at`, 0 when no finished record is there. */
static uint32_t finished_size(const uint8_t *at, uint64_t used, bool *is_broken)
{
    /* Pairs with the release store in ring_finish. */
    uint64_t word =
        atomic_load_explicit((const _Atomic uint64_t *)(const void *)at, memory_order_acquire);
    uint32_t size = (uint32_t)word;
    if (word == 0)
        return 0;
    *is_broken =
        size < sizeof(struct record_header) || (size & 7) || size > RING_RECORD_MAX || size > used;
    return *is_broken ? 0 : size;
}

/* Kinds whose first field after the header is the moment they tell of. */
#define TIMED_KINDS                                                                                \
    (1u << RECORD_PROCESS | 1u << RECORD_THREAD | 1u << RECORD_THREAD_END | 1u << RECORD_SAMPLE |  \
     1u << RECORD_ALLOC | 1u << RECORD_FREE)

bool ring_peek_time(const struct ring *ring, uint64_t *time_ns)
{
    uint64_t tail = atomic_load_explicit(&ring->header->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&ring->header->head, memory_order_relaxed);
    const uint8_t *at = ring->data + (tail & ring->mask & ~UINT64_C(7));
    bool is_broken = head - tail > ring->mask + 1;
    if (is_broken || head == tail || finished_size(at, head - tail, &is_broken) == 0)
        return false;
    struct {
        struct record_header head;
        uint64_t time_ns;
    } start;
    memcpy(&start, at, sizeof start);
    *time_ns = start.head.kind < 32 && TIMED_KINDS >> start.head.kind & 1 ? start.time_ns : 0;
    return true;
}

uint32_t ring_read(struct ring *ring, void *buffer, bool *is_broken)
{
    uint64_t tail = atomic_load_explicit(&ring->header->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&ring->header->head, memory_order_relaxed);
    *is_broken = head - tail > ring->mask + 1 || (tail & 7) || (head & 7);
    if (*is_broken || head == tail)
        return 0;
    uint8_t *at = ring->data + (tail & ring->mask);
    uint32_t size = finished_size(at, head - tail, is_broken);
    if (size == 0)
        return 0;
    memcpy(buffer, at, size);
    ((struct record_header *)buffer)->size = size;
    memset(at, 0, size);
    /* Pairs with the acquire load in ring_reserve: what is given back is zeroed. */
    atomic_store_explicit(&ring->header->tail, tail + size, memory_order_release);
    return size;
}
