/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/fields.h"

struct fields fields_after(const struct record_header *record, size_t fixed_bytes)
{
    const uint8_t *start = (const uint8_t *)record;
    return (struct fields){.at = start + fixed_bytes, .end = start + record->size};
}

const uint8_t *fields_bytes(struct fields *fields, uint64_t n)
{
    const uint8_t *bytes = fields->at;
    uint64_t padded = (n + 7) & ~(uint64_t)7;
    if (fields->is_bad || padded > (uint64_t)(fields->end - fields->at)) {
        fields->is_bad = true;
        return NULL;
    }
    fields->at += padded;
    return bytes;
}

struct field fields_string(struct fields *fields, const struct record_string *string)
{
    struct field field = {.chars = (const uint8_t *)"", .width = 1};
    if (string->width == 0)
        return field;
    bool is_known = string->width == 1 || string->width == 2 || string->width == 4;
    const uint8_t *chars =
        is_known ? fields_bytes(fields, (uint64_t)string->n_chars * string->width) : NULL;
    if (!chars) {
        fields->is_bad = true;
        return field;
    }
    return (struct field){chars, string->n_chars, string->width};
}
