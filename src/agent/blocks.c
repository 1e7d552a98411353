/* SPDX-License-Identifier: Apache-2.0 */
/* Records of sampled blocks. A block is recorded after it was allocated and before it is given
 * back, so that the records of all threads, in the order of the ring, never have an address twice.
 */
#include "agent/blocks.h"

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/control.h"
#include "agent/frames.h"
#include "agent/late.h"
#include "agent/process.h"
#include "agent/stacks.h"

#include <errno.h>

#include "agent/safe.h"

#define PAGE_BYTES    4096u
#define PASSES_UNSEEN 16u
/* No sample is said to take longer: the deepest stack does not, unless its thread lost the CPU. */
#define SPENT_MAX_NS 50000u

/* ---- one at a time ---- */

/* What a hook must find as it was when the agent has done its work. */
struct visit {
    int saved_errno;
    uint64_t copied_left;
};

/* Whether the agent may work now, and then it is busy: what it copies itself does not count.
 * Otherwise the `size` bytes by which the count of `domain` ran out pass by. */
static bool enter(enum memory_domain domain, size_t size, struct visit *visit)
{
    if (countdown_thread.is_busy) {
        countdown_undo(domain, size);
        return false;
    }
    /* Switched off, a program pays for this every few kilobytes. A switch from outside is heard of
     * by a tick, or here every so often. */
    if (atomic_load_explicit(&agent.is_off, memory_order_relaxed) &&
        ++countdown_thread.n_passes % PASSES_UNSEEN) {
        countdown_pass(domain, size);
        return false;
    }
    if (!agent_enter()) {
        countdown_sleep(domain);
        return false;
    }
    if (control_is_off()) {
        countdown_pass(domain, size);
        agent_leave();
        return false;
    }
    countdown_thread.is_busy = true;
    visit->saved_errno = errno;
    visit->copied_left = countdown_thread.domains[MEMORY_COPIED].left;
    return true;
}

static void leave(const struct visit *visit)
{
    countdown_thread.domains[MEMORY_COPIED].left = visit->copied_left;
    countdown_thread.is_busy = false;
    agent_leave();
    errno = visit->saved_errno;
}

/* What has been done since then goes to the account of the agent. */
static uint32_t spent_ns(uint64_t since_ns)
{
    uint64_t now_ns = clock_now_ns(), ns = now_ns > since_ns ? now_ns - since_ns : 0;
    ns = ns < SPENT_MAX_NS ? ns : SPENT_MAX_NS;
    agent_count(COUNTER_HANDLER_NS, ns);
    return (uint32_t)ns;
}

/* ---- records ---- */

/* New blocks leave the last quarter of the ring to frees, which have to be told. */
static bool has_room(void)
{
    const struct ring_header *h = agent.ring.header;
    uint64_t used = atomic_load_explicit(&h->head, memory_order_relaxed) -
                    atomic_load_explicit(&h->tail, memory_order_relaxed);
    return 4 * used < 3 * ring_room(&agent.ring);
}

struct sample {
    uint64_t time_ns;
    uint64_t address; /* 0: a copy */
    uint64_t size, old_size, mean;
    uint32_t stack;
    uint16_t flags;
    enum memory_domain domain;
};

static bool put_free(const struct late_free *free)
{
    struct record_free *record = ring_reserve(&agent.ring, sizeof *record);
    if (!record)
        return false;
    record->time_ns = free->time_ns;
    record->address = free->address;
    record->stack = free->stack;
    ring_finish(record, RECORD_FREE, free->flags, sizeof *record);
    return true;
}

static bool put_alloc(const struct sample *s)
{
    struct record_alloc *record =
        late_write(put_free) && has_room() ? ring_reserve(&agent.ring, sizeof *record) : NULL;
    if (!record)
        return false;
    record->time_ns = s->time_ns;
    record->address = s->address;
    record->size = s->size;
    record->old_size = s->old_size;
    record->mean = s->mean;
    record->tid = countdown_thread.tid;
    record->stack = s->stack;
    record->domain = (uint8_t)s->domain;
    ring_finish(record, RECORD_ALLOC, s->flags, sizeof *record);
    return true;
}

static bool write_alloc(const struct sample *s)
{
    if (!agent_enter())
        return false;
    bool is_written = put_alloc(s);
    agent_leave();
    return is_written;
}

/* The stack on which a block is given back; 0: not to be known, or no room to tell. */
static uint32_t stack_of_free(void)
{
    uint32_t stack = 0;
    if (countdown_thread.is_busy || !has_room() || control_is_off())
        return 0;
    uint64_t copied_left = countdown_thread.domains[MEMORY_COPIED].left;
    countdown_thread.is_busy = true;
    if (!stacks_id(&stack))
        stack = 0;
    countdown_thread.domains[MEMORY_COPIED].left = copied_left;
    countdown_thread.is_busy = false;
    return stack;
}

/* Of a block that lived shorter than a millisecond nobody asks where it went. */
static void tell_free(uint64_t address, uint64_t now_ns, bool is_young)
{
    bool is_ready = process_ring_ready();
    bool is_exit = is_ready && frames_python.is_finalizing && frames_python.is_finalizing();
    struct late_free free = {.address = address,
                             .time_ns = now_ns,
                             .stack = is_ready && !is_exit && !is_young ? stack_of_free() : 0,
                             .flags = is_exit ? FREE_AT_EXIT : 0};
    bool is_told = is_ready && ((late_write(put_free) && put_free(&free)) || late_add(&free));
    agent_count(COUNTER_DROPPED_RING_FULL, !is_told);
}

/* A block of an earlier time may go when nothing is measured. What this takes is not owed: it is at
 * most what the sample took, and a program that drops a gigabyte at once would hardly be sampled
 * for seconds. */
static void write_free(uint64_t address, uint64_t now_ns, bool is_young)
{
    if (!agent_enter())
        return;
    tell_free(address, now_ns, is_young);
    spent_ns(now_ns);
    agent_leave();
}

/* ---- blocks ---- */

static bool is_sampled(enum memory_domain domain, uint64_t size, struct sample *s)
{
    enum countdown_verdict verdict = countdown_over(domain, size, &s->mean);
    s->flags = verdict == COUNTDOWN_EXACT ? ALLOC_IS_EXACT : 0;
    s->domain = domain;
    s->size = size;
    s->time_ns = countdown_thread.sampled_ns;
    return verdict != COUNTDOWN_NOT_SAMPLED && process_ring_ready();
}

/* The block must be known before anybody can free it, and is forgotten if nothing tells of it. */
static void record_block(struct sample *s)
{
    bool is_kept = s->address == 0 || objects_add(s->address, s->time_ns);
    if (is_kept && stacks_id(&s->stack) && write_alloc(s)) {
        countdown_thin_out(objects_crowd());
        return;
    }
    uint16_t stamp;
    if (is_kept && s->address)
        objects_remove(s->address, &stamp);
    agent_count(COUNTER_DROPPED_ALLOCS, 1);
}

void blocks_new(enum memory_domain domain, const void *block, size_t size, size_t old_size)
{
    struct visit visit;
    struct sample s = {.address = (uint64_t)(uintptr_t)block, .old_size = old_size};
    if (!block) {
        countdown_undo(domain, size);
        return;
    }
    if (!enter(domain, size, &visit))
        return;
    if (is_sampled(domain, size, &s)) {
        record_block(&s);
        countdown_owe(spent_ns(s.time_ns));
    }
    leave(&visit);
}

void blocks_copied(size_t size)
{
    struct visit visit;
    struct sample s = {0};
    if (!enter(MEMORY_COPIED, size, &visit))
        return;
    bool is_taken = is_sampled(MEMORY_COPIED, size, &s);
    visit.copied_left = countdown_thread.domains[MEMORY_COPIED].left;
    if (is_taken) {
        record_block(&s);
        spent_ns(s.time_ns);
    }
    leave(&visit);
}

void blocks_finish(void)
{
    late_write(put_free);
}

bool blocks_gone(const void *block)
{
    uint64_t address = (uint64_t)(uintptr_t)block;
    uint16_t stamp;
    if (!objects_remove(address, &stamp))
        return false;
    int saved = errno;
    uint64_t now_ns = clock_now_ns();
    write_free(address, now_ns, objects_is_young(stamp, now_ns));
    errno = saved;
    return true;
}

void blocks_back(const void *block)
{
    int saved = errno;
    struct sample s = {
        .address = (uint64_t)(uintptr_t)block, .flags = ALLOC_IS_RESTORED, .domain = MEMORY_NATIVE};
    if (agent_enter()) {
        if (process_ring_ready() && objects_add(s.address, clock_now_ns()))
            write_alloc(&s);
        agent_leave();
    }
    errno = saved;
}

/* ---- mappings ---- */

/* Part of a sampled mapping that stays. It stands for what it is of the whole: the chance to have
 * been sampled was the whole's, which the mean says when it shrinks as the size does; and it adds
 * nothing to what was allocated, which the old size says. */
static void keep_part(const struct range *whole, uint64_t low, uint64_t high)
{
    struct range part = *whole;
    if (low >= high)
        return;
    part.low = low;
    part.high = high;
    part.mean =
        (uint64_t)((double)whole->mean * (double)(high - low) / (double)(whole->high - whole->low));
    struct sample s = {.time_ns = clock_now_ns(),
                       .address = low,
                       .size = high - low,
                       .old_size = high - low,
                       .mean = part.mean,
                       .stack = whole->stack,
                       .flags = whole->flags,
                       .domain = MEMORY_NATIVE};
    if (ranges_add(&part) && part.is_sampled && !write_alloc(&s))
        agent_count(COUNTER_DROPPED_ALLOCS, 1);
}

static uint64_t end_of(uint64_t low, uint64_t size)
{
    return (low + size + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static bool take_out(uint64_t low, uint64_t high, struct range *was)
{
    if (!ranges_take(low, high, was))
        return false;
    if (was->generation != agent.generation)
        return true; /* of the parent of a fork: no record here tells of it */
    if (was->is_sampled)
        write_free(was->low, clock_now_ns(), false);
    keep_part(was, was->low, low);
    keep_part(was, high, was->high);
    return true;
}

void blocks_unmapped(const void *at, size_t size)
{
    struct range was;
    int saved = errno;
    uint64_t low = (uint64_t)(uintptr_t)at;
    while (size && take_out(low, end_of(low, size), &was))
        ;
    errno = saved;
}

bool blocks_moved(const void *at, size_t size, struct range *was)
{
    int saved = errno;
    uint64_t low = (uint64_t)(uintptr_t)at, high = end_of(low, size);
    bool is_known = take_out(low, high, was);
    if (is_known) {
        double whole = (double)(was->high - was->low);
        was->low = was->low > low ? was->low : low;
        was->high = was->high < high ? was->high : high;
        was->mean = (uint64_t)((double)was->mean * (double)(was->high - was->low) / whole);
    }
    errno = saved;
    return is_known;
}

void blocks_stayed(const struct range *was)
{
    int saved = errno;
    keep_part(was, was->low, was->high);
    errno = saved;
}

static void record_mapping(struct sample *s, struct range *range)
{
    range->is_sampled = stacks_id(&s->stack);
    range->mean = s->mean;
    range->stack = s->stack;
    range->flags = s->flags;
    if (!range->is_sampled || !ranges_add(range) || !write_alloc(s))
        agent_count(COUNTER_DROPPED_ALLOCS, 1);
}

void blocks_mapped(const void *at, size_t size, size_t old_size)
{
    struct visit visit;
    uint64_t low = (uint64_t)(uintptr_t)at;
    struct sample s = {.address = low, .old_size = old_size};
    struct range range = {.low = low, .high = low + size, .generation = agent.generation};
    if (!countdown_takes(MEMORY_NATIVE, size)) {
        ranges_add(&range);
        return;
    }
    if (!enter(MEMORY_NATIVE, size, &visit))
        return;
    if (is_sampled(MEMORY_NATIVE, size, &s)) {
        record_mapping(&s, &range);
        countdown_owe(spent_ns(s.time_ns));
    } else {
        ranges_add(&range);
    }
    leave(&visit);
}
