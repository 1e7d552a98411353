/* SPDX-License-Identifier: Apache-2.0 */
/* The ring's two ends. Runs in signal handlers of the target: no locks, no allocation. */
#include "wire/ring.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* So many pages are given back and got at a time where memory is scarce. */
#define STEP_BYTES (64u * 1024u)

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
    ring->low = 0;
    ring->limit = UINT64_MAX;
    ring->is_extending = false;
    return true;
}

void ring_unmap(struct ring *ring)
{
    if (ring->header)
        munmap(ring->header, RING_HEADER_BYTES + 2 * (ring->mask + 1));
    *ring = (struct ring){0};
}

/* ---- pages of the writing end ---- */

static bool advise(const struct ring *ring, uint64_t at, uint64_t n_bytes, int advice)
{
    return syscall(SYS_madvise, ring->data + (at & ring->mask), n_bytes, advice) == 0;
}

bool ring_starts_with(struct ring *ring, uint64_t bytes)
{
    if (bytes > ring->mask)
        return true;
    if (!advise(ring, 0, bytes, MADV_POPULATE_WRITE))
        return false;
    atomic_store_explicit(&ring->limit, bytes, memory_order_release);
    return true;
}

/* Twice as many pages, while they can be had. */
static bool grow(struct ring *ring, uint64_t low, uint64_t limit)
{
    uint64_t all = ring->mask + 1, have = limit - low;
    uint64_t more = have < all - have ? have : all - have;
    if (!advise(ring, limit, more, MADV_POPULATE_WRITE))
        return false;
    limit = have + more == all ? UINT64_MAX : limit + more;
    /* Pairs with the acquire load in has_pages. */
    atomic_store_explicit(&ring->limit, limit, memory_order_release);
    return true;
}

/* The pages behind the reader for some ahead. */
static void slide(struct ring *ring, uint64_t low, uint64_t limit, uint64_t tail)
{
    /* The tail was read before we had the turn: `low` may have passed it since. */
    if (tail >= low + STEP_BYTES && limit - low >= STEP_BYTES &&
        advise(ring, low, STEP_BYTES, MADV_REMOVE)) {
        low += STEP_BYTES;
        atomic_store_explicit(&ring->low, low, memory_order_relaxed);
    }
    bool may_get = limit + STEP_BYTES - low <= ring_room(ring);
    if (may_get && advise(ring, limit, STEP_BYTES, MADV_POPULATE_WRITE))
        atomic_store_explicit(&ring->limit, limit + STEP_BYTES, memory_order_release);
}

/* One writer extends; the others go on with what there is. */
static void extend(struct ring *ring, uint64_t tail)
{
    if (atomic_exchange_explicit(&ring->is_extending, true, memory_order_acquire))
        return;
    uint64_t low = atomic_load_explicit(&ring->low, memory_order_relaxed);
    uint64_t limit = atomic_load_explicit(&ring->limit, memory_order_relaxed);
    bool is_scarce = atomic_load_explicit(&ring->header->scarce_bytes, memory_order_relaxed) != 0;
    if (limit != UINT64_MAX && (is_scarce || !grow(ring, low, limit))) {
        if (!is_scarce)
            atomic_store_explicit(&ring->header->scarce_bytes, (uint32_t)(limit - low),
                                  memory_order_relaxed);
        slide(ring, low, limit, tail);
    }
    atomic_store_explicit(&ring->is_extending, false, memory_order_release);
}

/* Whether the stream has pages up to `end`; gets more when half of what there is lies behind. */
static bool has_pages(struct ring *ring, uint64_t end, uint64_t tail)
{
    uint64_t limit = atomic_load_explicit(&ring->limit, memory_order_acquire);
    uint64_t low = atomic_load_explicit(&ring->low, memory_order_relaxed);
    if (limit != UINT64_MAX && end > limit - (limit - low) / 2) {
        extend(ring, tail);
        limit = atomic_load_explicit(&ring->limit, memory_order_acquire);
    }
    return end <= limit;
}

/* ---- writing and reading ---- */

void *ring_reserve(struct ring *ring, uint32_t size)
{
    if (size > RING_RECORD_MAX)
        return NULL;
    uint64_t head = atomic_load_explicit(&ring->header->head, memory_order_relaxed);
    do {
        /* Pairs with the release store of tail in ring_read: what it freed is zeroed. */
        uint64_t tail = atomic_load_explicit(&ring->header->tail, memory_order_acquire);
        if (head + size - tail > ring->mask + 1 || !has_pages(ring, head + size, tail))
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
