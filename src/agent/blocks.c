/* SPDX-License-Identifier: Apache-2.0 */
/* Records of sampled blocks. A block is recorded after it was allocated and before it is given
 * back, so that the records of all threads, in the order of the ring, never have an address twice.
 */
#include "agent/blocks.h"

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/control.h"
#include "agent/frames.h"
#include "agent/process.h"
#include "agent/stacks.h"

#include <errno.h>

#include "agent/safe.h"

/* New blocks leave the last quarter of the ring to frees: a lost free would be a leak that is none.
 */
static bool has_room(void)
{
    const struct ring_header *h = agent.ring.header;
    uint64_t used = atomic_load_explicit(&h->head, memory_order_relaxed) -
                    atomic_load_explicit(&h->tail, memory_order_relaxed);
    return 4 * used < 3 * (agent.ring.mask + 1);
}

static bool write_alloc(enum memory_domain domain, uint64_t address, size_t size, size_t old_size,
                        uint64_t mean, uint16_t flags)
{
    uint32_t stack;
    if (!has_room() || !stacks_id(&stack))
        return false;
    struct record_alloc *record = ring_reserve(&agent.ring, sizeof *record);
    if (!record)
        return false;
    record->time_ns = clock_now_ns();
    record->address = address;
    record->size = size;
    record->old_size = old_size;
    record->mean = mean;
    record->tid = countdown_thread.tid;
    record->stack = stack;
    record->domain = (uint8_t)domain;
    ring_finish(record, RECORD_ALLOC, flags, sizeof *record);
    return true;
}

/* Whether the agent may work now, and then it is busy. While measuring is off the bytes pass by:
 * the next gap is drawn, for the chance of those to come is the same whatever came before. */
static bool enter(enum memory_domain domain, size_t size)
{
    if (countdown_thread.is_busy || !atomic_load_explicit(&agent.is_on, memory_order_acquire)) {
        countdown_undo(domain, size);
        return false;
    }
    if (control_is_off()) {
        countdown_pass(domain);
        return false;
    }
    countdown_thread.is_busy = true;
    return true;
}

static void sample(enum memory_domain domain, uint64_t address, size_t size, size_t old_size,
                   uint64_t mean, bool is_exact)
{
    if (!process_ring_ready())
        return;
    bool is_kept = address == 0 || objects_add(address);
    if (is_kept &&
        write_alloc(domain, address, size, old_size, mean, is_exact ? ALLOC_IS_EXACT : 0))
        return;
    if (is_kept && address)
        objects_remove(address);
    agent_count(COUNTER_DROPPED_ALLOCS, 1);
}

void blocks_new(enum memory_domain domain, const void *block, size_t size, size_t old_size)
{
    uint64_t mean, copied_left;
    int saved = errno;
    if (!enter(domain, size))
        return;
    copied_left = countdown_thread.domains[MEMORY_COPIED].left; /* our own copies do not count */
    enum countdown_verdict verdict = countdown_over(domain, size, &mean);
    if (verdict != COUNTDOWN_NOT_SAMPLED && block)
        sample(domain, (uint64_t)(uintptr_t)block, size, old_size, mean,
               verdict == COUNTDOWN_EXACT);
    countdown_thread.domains[MEMORY_COPIED].left = copied_left;
    countdown_thread.is_busy = false;
    errno = saved;
}

void blocks_copied(size_t size)
{
    uint64_t mean;
    int saved = errno;
    if (!enter(MEMORY_COPIED, size))
        return;
    enum countdown_verdict verdict = countdown_over(MEMORY_COPIED, size, &mean);
    uint64_t copied_left = countdown_thread.domains[MEMORY_COPIED].left;
    if (verdict != COUNTDOWN_NOT_SAMPLED)
        sample(MEMORY_COPIED, 0, size, 0, mean, verdict == COUNTDOWN_EXACT);
    countdown_thread.domains[MEMORY_COPIED].left = copied_left;
    countdown_thread.is_busy = false;
    errno = saved;
}

bool blocks_gone(const void *block)
{
    uint64_t address = (uint64_t)(uintptr_t)block;
    if (!objects_remove(address))
        return false;
    int saved = errno;
    struct record_free *record =
        process_ring_ready() ? ring_reserve(&agent.ring, sizeof *record) : NULL;
    if (record) {
        bool is_exit = frames_python.is_finalizing && frames_python.is_finalizing();
        record->time_ns = clock_now_ns();
        record->address = address;
        ring_finish(record, RECORD_FREE, is_exit ? FREE_AT_EXIT : 0, sizeof *record);
    } else {
        agent_count(COUNTER_DROPPED_RING_FULL, 1);
    }
    errno = saved;
    return true;
}

void blocks_back(const void *block)
{
    int saved = errno;
    if (process_ring_ready() && objects_add((uint64_t)(uintptr_t)block))
        write_alloc(MEMORY_NATIVE, (uint64_t)(uintptr_t)block, 0, 0, 0, ALLOC_IS_RESTORED);
    errno = saved;
}
