/* SPDX-License-Identifier: Apache-2.0 */
/* Known stacks by the hash of their frames.
 *
 * Synchronization: an entry belongs to whoever swapped the hash in with its lowest bit set (busy);
 * whoever meets it meanwhile sends the stack once more under a number of its own, which does no
 * harm. */
#include "agent/stacks.h"

#include "agent/agent.h"
#include "agent/frames.h"
#include "agent/origin.h"
#include "agent/peek.h"
#include "agent/scratch.h"
#include "agent/wipe.h"

#include <assert.h>
#include <string.h>

#include "agent/safe.h"

#define ENTRIES    16384u
#define PROBES_MAX 32u

struct entry {
    _Atomic uint64_t hash; /* even; odd while it is filled in */
    uint32_t id, generation;
};

static struct entry entries[ENTRIES] WIPE_ALIGNED;
static_assert(sizeof entries % WIPE_PAGE_BYTES == 0, "whole pages");
static _Atomic uint32_t last_id;

static_assert(sizeof(struct frames) <= SCRATCH_BYTES, "a stack is put together in a scratch area");

static uint64_t hash_of(const struct frames *frames)
{
    uint64_t hash = frames->n + 1, word;
    for (uint32_t i = 0; i < frames->n; i++) {
        memcpy(&word, &frames->frames[i], sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return (hash << 1) + 2;
}

static bool send(const struct frames *frames, uint32_t *id)
{
    uint32_t frames_bytes = frames->n * (uint32_t)sizeof *frames->frames;
    uint32_t size = (uint32_t)sizeof(struct record_stack) + frames_bytes;
    struct record_stack *record = ring_reserve(&agent.ring, size);
    if (!record)
        return false;
    *id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    record->id = *id;
    record->n_frames = frames->n;
    memcpy(record + 1, frames->frames, frames_bytes);
    ring_finish(record, RECORD_STACK, frames->is_cut ? SAMPLE_FRAMES_CUT : 0, size);
    return true;
}

static bool find(const struct frames *frames, uint32_t *id)
{
    uint64_t hash = hash_of(frames);
    uint32_t at = (uint32_t)(hash >> 40) % ENTRIES;
    for (unsigned i = 0; i < PROBES_MAX; i++, at = (at + 1) % ENTRIES) {
        struct entry *entry = &entries[at];
        uint64_t there = atomic_load_explicit(&entry->hash, memory_order_acquire);
        bool is_old = entry->generation != agent.generation;
        if (there == hash && !is_old) {
            *id = entry->id;
            return true;
        }
        if (there != 0 && (!is_old || (there & 1)))
            continue;
        if (!atomic_compare_exchange_strong_explicit(&entry->hash, &there, hash | 1,
                                                     memory_order_acq_rel, memory_order_relaxed))
            continue;
        bool is_sent = send(frames, id);
        entry->id = *id;
        entry->generation = agent.generation;
        /* Pairs with the acquire load above. */
        atomic_store_explicit(&entry->hash, is_sent ? hash : 0, memory_order_release);
        return is_sent;
    }
    return send(frames, id);
}

bool stacks_id_of(uint64_t state, uint32_t *id)
{
    unsigned number;
    struct frames *frames = scratch_take(&number);
    *id = 0;
    if (!frames)
        return true;
    bool has_room = frames_take_of(state, frames) && (frames->n == 0 || find(frames, id));
    scratch_give_back(number);
    return has_room;
}

bool stacks_id(uint32_t *id)
{
    uint64_t state = (uint64_t)(uintptr_t)frames_python.this_thread_state();
    uint64_t faults = peek_let_faults_in();
    bool has_room = state ? stacks_id_of(state, id) : origin_stack(id);
    peek_keep_faults_out(faults);
    return has_room;
}

void stacks_wipe_on_fork(void)
{
    wipe_on_fork(entries, sizeof entries);
}
