/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/emit.h"

#include "agent/agent.h"
#include "agent/peek.h"

#include <string.h>

#include "agent/safe.h"

bool emit_record(enum record_kind kind, uint16_t flags, const void *fixed, uint32_t fixed_bytes,
                 const struct record_string *strings, const void *const *texts, unsigned n_texts)
{
    uint32_t size = fixed_bytes;
    for (unsigned i = 0; i < n_texts; i++)
        size += record_string_bytes(&strings[i]);
    uint8_t *record = ring_reserve(&agent.ring, size);
    if (!record) {
        agent_count(COUNTER_DROPPED_RING_FULL, 1);
        return false;
    }
    /* The header word stays zero until the record is finished. */
    memcpy(record + sizeof(struct record_header),
           (const uint8_t *)fixed + sizeof(struct record_header),
           fixed_bytes - sizeof(struct record_header));
    uint8_t *to = record + fixed_bytes;
    for (unsigned i = 0; i < n_texts; i++) {
        peek_bytes((uint64_t)(uintptr_t)texts[i], to, strings[i].n_chars * strings[i].width);
        to += record_string_bytes(&strings[i]);
    }
    ring_finish(record, (uint16_t)kind, flags, size);
    return true;
}
