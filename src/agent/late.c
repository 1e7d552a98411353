/* SPDX-License-Identifier: Apache-2.0 */
/* A queue with many writers and one reader at a time.
 *
 * Synchronization: a writer takes a place by advancing `tail`, and its address, stored last with
 * release order, says that the place is filled. Who holds `reader` empties the place and advances
 * `head`, with release order, which gives it to writers again. Nobody waits for anybody: a reader
 * that finds another, or a place not filled yet, says that some are left. */
#include "agent/late.h"

#include "agent/agent.h"
#include "agent/wipe.h"

#include <stdatomic.h>

#include "agent/safe.h"

struct place {
    _Atomic uint64_t address; /* 0: empty */
    struct late_free free;
};

static struct {
    _Atomic uint64_t head, tail;
    _Atomic uint32_t reader; /* the process whose thread reads: a parent's does not in its child */
    struct place places[LATE_MAX];
} WIPE_ALIGNED late;

bool late_add(const struct late_free *free)
{
    uint64_t tail = atomic_load_explicit(&late.tail, memory_order_relaxed);
    do {
        if (tail - atomic_load_explicit(&late.head, memory_order_acquire) >= LATE_MAX)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&late.tail, &tail, tail + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    struct place *place = &late.places[tail % LATE_MAX];
    place->free = *free;
    atomic_store_explicit(&place->address, free->address, memory_order_release);
    return true;
}

static bool is_empty(void)
{
    return atomic_load_explicit(&late.head, memory_order_relaxed) ==
           atomic_load_explicit(&late.tail, memory_order_relaxed);
}

static void empty_places(bool (*write)(const struct late_free *free))
{
    uint64_t head = atomic_load_explicit(&late.head, memory_order_relaxed);
    while (head != atomic_load_explicit(&late.tail, memory_order_relaxed)) {
        struct place *place = &late.places[head % LATE_MAX];
        if (!atomic_load_explicit(&place->address, memory_order_acquire) || !write(&place->free))
            return;
        atomic_store_explicit(&place->address, 0, memory_order_relaxed);
        atomic_store_explicit(&late.head, ++head, memory_order_release);
    }
}

bool late_write(bool (*write)(const struct late_free *free))
{
    if (is_empty())
        return true;
    uint32_t reader = atomic_load_explicit(&late.reader, memory_order_relaxed);
    if (reader == agent.pid ||
        !atomic_compare_exchange_strong_explicit(&late.reader, &reader, agent.pid,
                                                 memory_order_acquire, memory_order_relaxed))
        return false;
    empty_places(write);
    atomic_store_explicit(&late.reader, 0, memory_order_release);
    return is_empty();
}

void late_wipe_on_fork(void)
{
    wipe_on_fork(&late, sizeof late);
}
