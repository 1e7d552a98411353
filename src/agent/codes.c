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

#include "agent/safe.h"

#define ENTRIES          32768u /* only code that was sampled gets here */
#define PROBES_MAX       64u
#define BUSY             1u /* in the low bit of a key: code objects are aligned */
#define LINE_TABLE_BYTES (192u * 1024u)

struct entry {
    _Atomic uint64_t key;
    uint64_t digest;
    uint32_t id, generation;
};

static struct entry entries[ENTRIES];
static _Atomic uint32_t last_id;

#define LAYOUT frames_python.layout

static uint64_t field(uint64_t object, int offset)
{
    return peek_word(object + (uint64_t)(int64_t)offset);
}

static uint64_t digest_of(uint64_t code)
{
    const int fields[] = {LAYOUT.code_line_table, LAYOUT.code_filename, LAYOUT.code_name,
                          LAYOUT.code_first_line, LAYOUT.code_flags};
    uint64_t digest = field(code, OBJECT_SIZE);
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        digest = (digest ^ field(code, fields[i])) * 0x9e3779b97f4a7c15ull;
    return digest;
}

/* Describes a str object; its characters lie at *data. */
static struct record_string string_of(uint64_t object, const void **data)
{
    struct record_string none = {0};
    uint64_t length;
    uint32_t state;
    *data = NULL;
    if (!object || !peek_u64(object + STR_LENGTH, &length) || !peek_u32(object + STR_STATE, &state))
        return none;
    uint32_t bits = state >> LAYOUT.str_kind_shift;
    uint32_t width = bits & 7, is_compact = bits >> 3 & 1, is_ascii = bits >> 4 & 1;
    if (width != 1 && width != 2 && width != 4)
        return none;
    uint64_t at = object + (uint64_t)(is_ascii ? LAYOUT.str_ascii_data : LAYOUT.str_compact_data);
    if (!is_compact)
        at = field(object, LAYOUT.str_compact_data);
    *data = (const void *)(uintptr_t)at;
    bool is_cut = length > RECORD_STRING_MAX;
    return (struct record_string){.n_chars = is_cut ? RECORD_STRING_MAX : (uint32_t)length,
                                  .width = (uint8_t)width,
                                  .is_cut = is_cut};
}

static struct record_string line_table_of(uint64_t code, const void **data)
{
    uint64_t object = field(code, LAYOUT.code_line_table), n = 0;
    if (!object || !peek_u64(object + OBJECT_SIZE, &n) || n > LINE_TABLE_BYTES)
        n = 0;
    *data = (const void *)(uintptr_t)(object + BYTES_DATA);
    return (struct record_string){.n_chars = (uint32_t)n, .width = 1};
}

static uint32_t bytecode_bytes(uint64_t code)
{
    if (!LAYOUT.bytecode_is_object)
        return 2 * (uint32_t)field(code, OBJECT_SIZE);
    return (uint32_t)field(field(code, LAYOUT.code_bytecode), OBJECT_SIZE);
}

static bool send(uint64_t code, uint32_t id)
{
    const void *texts[4];
    uint64_t qualname = LAYOUT.code_qualname == PYVER_NONE ? 0 : field(code, LAYOUT.code_qualname);
    struct record_string strings[4] = {
        string_of(field(code, LAYOUT.code_filename), &texts[0]),
        string_of(field(code, LAYOUT.code_name), &texts[1]),
        string_of(qualname, &texts[2]),
        line_table_of(code, &texts[3]),
    };
    struct record_code record = {
        .id = id,
        .first_line = (int32_t)(uint32_t)field(code, LAYOUT.code_first_line),
        .code_bytes = bytecode_bytes(code),
        .co_flags = (uint32_t)field(code, LAYOUT.code_flags),
        .line_table_bytes = strings[3].n_chars,
        .filename = strings[0],
        .name = strings[1],
        .qualname = strings[2],
    };
    return emit_record(RECORD_CODE, 0, &record, sizeof record, strings, texts, 4);
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

bool codes_id(uint64_t code, uint32_t *id)
{
    uint64_t digest = digest_of(code);
    uint32_t at = (uint32_t)((code >> 4) * 0x9e3779b97f4a7c15ull >> 49);
    *id = 0;
    for (unsigned i = 0; i < PROBES_MAX; i++, at = (at + 1) % ENTRIES) {
        struct entry *entry = &entries[at];
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
