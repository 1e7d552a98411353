/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the code objects that were sent, by address. An address is used again when a code
 * object dies, so each entry also keeps a digest of what was there.
 *
 * Synchronization: an entry belongs to whoever swapped BUSY into its key; the others see that it is
 * being filled in and give the frame up. */
#include "agent/codes.h"

#include "agent/agent.h"
#include "agent/emit.h"
#include "agent/frames.h"
#include "agent/peek.h"
#include "agent/wipe.h"
#include "frame/code.h"

#include <assert.h>

#include "agent/safe.h"

#define ENTRIES    32768u /* only code that was sampled gets here */
#define PROBES_MAX 64u
/* Looked at first. Few programs run more code objects than these hold, and kept close together they
 * need not be waited for as long. */
#define NEAR        1024u
#define NEAR_PROBES 8u
#define BUSY        1u /* in the low bit of a key: code objects are aligned */

struct entry {
    _Atomic uint64_t key;
    uint64_t digest;
    uint32_t id, generation;
};

static struct entry entries[ENTRIES] WIPE_ALIGNED;
static_assert(sizeof entries % WIPE_PAGE_BYTES == 0, "whole pages");
static _Atomic uint32_t last_id;

static bool send(uint64_t code, uint32_t id)
{
    struct code_description d;
    const void *texts[CODE_TEXTS];
    code_describe(&peek_memory, &frames_python.layout, code, &d);
    d.record.id = id;
    for (int i = 0; i < CODE_TEXTS; i++)
        texts[i] = (const void *)(uintptr_t)d.texts[i];
    return emit_record(RECORD_CODE, 0, &d.record, sizeof d.record, d.strings, texts, CODE_TEXTS);
}

/* Fills in an entry the caller owns (its key is BUSY) and gives it back. */
static bool fill(struct entry *entry, uint64_t code, uint64_t digest, uint32_t *id)
{
    *id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    bool is_sent = send(code, *id);
    entry->digest = digest;
    entry->id = *id;
    entry->generation = is_sent ? agent.generation : 0;
    /* Pairs with the acquire load in codes_id. */
    atomic_store_explicit(&entry->key, code, memory_order_release);
    return is_sent;
}

static struct entry *entry_of(uint64_t code, unsigned probe)
{
    uint32_t hash = (uint32_t)((code >> 4) * 0x9e3779b97f4a7c15ull >> 36) + probe;
    return &entries[probe < NEAR_PROBES ? hash % NEAR : NEAR + hash % (ENTRIES - NEAR)];
}

void codes_expect(uint64_t code)
{
    for (uint64_t at = 0; at < CODE_BYTES; at += 64)
        __builtin_prefetch((const void *)(uintptr_t)(code + at));
    __builtin_prefetch(entry_of(code, 0));
}

bool codes_id(uint64_t code, uint32_t *id)
{
    uint64_t digest = code_digest(&peek_memory, &frames_python.layout, code);
    *id = 0;
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct entry *entry = entry_of(code, i);
        uint64_t key = atomic_load_explicit(&entry->key, memory_order_acquire);
        if (key == code && entry->digest == digest && entry->generation == agent.generation) {
            *id = entry->id;
            return true;
        }
        if (key != 0 && key != code)
            continue;
        if (atomic_compare_exchange_strong_explicit(&entry->key, &key, code | BUSY,
                                                    memory_order_acq_rel, memory_order_relaxed))
            return fill(entry, code, digest, id);
    }
    agent_count(COUNTER_CODE_TABLE_FULL, 1);
    return true;
}

void codes_wipe_on_fork(void)
{
    wipe_on_fork(entries, sizeof entries);
}
