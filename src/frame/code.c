/* SPDX-License-Identifier: Apache-2.0 */
#include "frame/code.h"

#include <string.h>

#define LINE_TABLE_BYTES (192u * 1024u) /* longer ones do not fit into a record: no lines then */

struct code_object {
    unsigned char bytes[CODE_BYTES];
};

static uint64_t field(const struct code_object *code, int32_t offset)
{
    uint64_t value = 0;
    if (offset >= 0 && offset <= CODE_BYTES - 8)
        memcpy(&value, code->bytes + offset, sizeof value);
    return value;
}

static uint32_t field32(const struct code_object *code, int32_t offset)
{
    return (uint32_t)field(code, offset);
}

uint64_t code_digest(const struct memory *memory, const struct py_layout *layout, uint64_t code)
{
    struct code_object object;
    if (!memory->read(memory->context, code, object.bytes, CODE_BYTES))
        return 0;
    uint64_t digest = field(&object, OBJECT_SIZE);
    const uint64_t parts[] = {
        field(&object, layout->code_line_table), field(&object, layout->code_filename),
        field(&object, layout->code_name), field32(&object, layout->code_first_line),
        field32(&object, layout->code_flags)};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        digest = (digest ^ parts[i]) * 0x9e3779b97f4a7c15ull;
    return digest;
}

struct record_string code_string(const struct memory *memory, const struct py_layout *layout,
                                 uint64_t object, uint64_t *data)
{
    struct record_string none = {0};
    uint64_t head[5]; /* count, type, length, hash, state */
    *data = 0;
    if (!object || !memory->read(memory->context, object, head, sizeof head))
        return none;
    uint64_t length = head[STR_LENGTH / 8];
    uint32_t bits = (uint32_t)head[STR_STATE / 8] >> layout->str_kind_shift;
    uint32_t width = bits & 7, is_compact = bits >> 3 & 1, is_ascii = bits >> 4 & 1;
    if (width != 1 && width != 2 && width != 4)
        return none;
    *data = object + (uint64_t)(is_ascii ? layout->str_ascii_data : layout->str_compact_data);
    if (!is_compact)
        *data = memory_word(memory, object + (uint64_t)layout->str_compact_data);
    bool is_cut = length > RECORD_STRING_MAX;
    return (struct record_string){.n_chars = is_cut ? RECORD_STRING_MAX : (uint32_t)length,
                                  .width = (uint8_t)width,
                                  .is_cut = is_cut};
}

static struct record_string line_table_of(const struct memory *memory, uint64_t object,
                                          uint64_t *data)
{
    uint64_t n = object ? memory_word(memory, object + OBJECT_SIZE) : 0;
    *data = object + BYTES_DATA;
    return (struct record_string){.n_chars = n > LINE_TABLE_BYTES ? 0 : (uint32_t)n, .width = 1};
}

static uint32_t bytecode_bytes(const struct memory *memory, const struct py_layout *layout,
                               const struct code_object *code)
{
    if (!layout->bytecode_is_object)
        return 2 * field32(code, OBJECT_SIZE);
    uint64_t bytes = field(code, layout->code_bytecode);
    return bytes ? (uint32_t)memory_word(memory, bytes + OBJECT_SIZE) : 0;
}

void code_describe(const struct memory *memory, const struct py_layout *layout, uint64_t code,
                   struct code_description *out)
{
    struct code_object object = {{0}};
    memset(out, 0, sizeof *out);
    if (!memory->read(memory->context, code, object.bytes, CODE_BYTES))
        return;
    const int32_t names[] = {layout->code_filename, layout->code_name, layout->code_qualname};
    for (int i = 0; i < 3; i++)
        out->strings[i] = code_string(memory, layout, field(&object, names[i]), &out->texts[i]);
    out->strings[3] =
        line_table_of(memory, field(&object, layout->code_line_table), &out->texts[3]);
    out->record = (struct record_code){
        .first_line = (int32_t)field32(&object, layout->code_first_line),
        .code_bytes = bytecode_bytes(memory, layout, &object),
        .co_flags = field32(&object, layout->code_flags),
        .line_table_bytes = out->strings[3].n_chars,
        .filename = out->strings[0],
        .name = out->strings[1],
        .qualname = out->strings[2],
    };
}
