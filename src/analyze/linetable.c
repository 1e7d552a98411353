/* SPDX-License-Identifier: Apache-2.0 */
/* Decoders of co_lnotab (up to 3.9) and co_linetable (3.10; 3.11 and later). */
#include "analyze/linetable.h"

#include "base/vec.h"

#include <stdbool.h>

/* The table as it is being decoded. Lines are added modulo 2^32: a hostile table must not overflow
 * a signed number. */
struct decoder {
    const uint8_t *at, *end;
    uint32_t offset, line;
    vec_of(struct linetable_entry) entries;
};

static void add_entry(struct decoder *decoder, bool has_line)
{
    int32_t line = has_line ? (int32_t)decoder->line : LINETABLE_NO_LINE;
    *vec_push(&decoder->entries) = (struct linetable_entry){decoder->offset, line};
}

static uint32_t take_signed_byte(struct decoder *decoder)
{
    return (uint32_t)(int32_t)(int8_t)*decoder->at++;
}

/* Up to 3.9: pairs of bytes to go forward and lines to add, after which an entry begins. */
static void decode_lnotab(struct decoder *decoder)
{
    add_entry(decoder, true);
    while (decoder->end - decoder->at >= 2) {
        decoder->offset += *decoder->at++;
        decoder->line += take_signed_byte(decoder);
        add_entry(decoder, true);
    }
}

/* 3.10: pairs of the bytes an entry covers and the lines to add before it; -128: no line. */
static void decode_3_10(struct decoder *decoder)
{
    while (decoder->end - decoder->at >= 2) {
        uint32_t n_bytes = *decoder->at++;
        bool has_line = *decoder->at != 0x80;
        uint32_t delta = take_signed_byte(decoder);
        decoder->line += has_line ? delta : 0;
        add_entry(decoder, has_line);
        decoder->offset += n_bytes;
    }
}

/* A number of 6 bits a byte, the lowest first; bit 6 says that more follow. */
static uint32_t take_varint(struct decoder *decoder)
{
    uint32_t value = 0;
    for (unsigned shift = 0; decoder->at < decoder->end; shift += 6) {
        uint8_t byte = *decoder->at++;
        if (shift < 32)
            value |= (uint32_t)(byte & 63) << shift;
        if (!(byte & 64))
            break;
    }
    return value;
}

/* The sign is the lowest bit. */
static uint32_t take_signed_varint(struct decoder *decoder)
{
    uint32_t value = take_varint(decoder);
    return value & 1 ? 0u - (value >> 1) : value >> 1;
}

static void skip(struct decoder *decoder, size_t n)
{
    size_t left = (size_t)(decoder->end - decoder->at);
    decoder->at += n < left ? n : left;
}

/* What the four-bit code of a 3.11 entry says. */
enum {
    CODE_ONE_LINE = 10, /* 10, 11, 12: 0, 1, 2 lines on; two bytes of columns */
    CODE_NO_COLUMNS = 13,
    CODE_LONG = 14,
    CODE_NONE = 15,
};

/* 3.11 on: entries of a first byte with bit 7 set (4 bits of code, 3 bits of length in units of two
 * bytes less one) and what the code asks for. */
static void decode_3_11(struct decoder *decoder)
{
    while (decoder->at < decoder->end) {
        uint8_t first = *decoder->at++;
        unsigned code = first >> 3 & 15;
        if (code == CODE_LONG || code == CODE_NO_COLUMNS)
            decoder->line += take_signed_varint(decoder);
        else if (code >= CODE_ONE_LINE && code < CODE_NO_COLUMNS)
            decoder->line += code - CODE_ONE_LINE;
        for (int i = 0; code == CODE_LONG && i < 3; i++) /* end line, columns */
            take_varint(decoder);
        if (code < CODE_NO_COLUMNS)
            skip(decoder, code < CODE_ONE_LINE ? 1 : 2);
        add_entry(decoder, code != CODE_NONE);
        decoder->offset += 2 * ((first & 7u) + 1);
    }
}

struct linetable linetable_decode(struct arena *arena, uint32_t hexversion, int32_t first_line,
                                  const uint8_t *bytes, size_t n_bytes)
{
    struct decoder decoder = {.at = bytes, .end = bytes + n_bytes, .line = (uint32_t)first_line};
    if (hexversion < 0x030a0000)
        decode_lnotab(&decoder);
    else if (hexversion < 0x030b0000)
        decode_3_10(&decoder);
    else
        decode_3_11(&decoder);
    struct linetable table = {.n = decoder.entries.n};
    if (table.n) {
        size_t size = table.n * sizeof *table.entries;
        table.entries = memcpy(arena_alloc(arena, size), decoder.entries.items, size);
    }
    vec_fini(&decoder.entries);
    return table;
}

const struct linetable_entry *linetable_find(const struct linetable *table, uint32_t offset)
{
    size_t low = 0, high = table->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->entries[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &table->entries[low - 1] : NULL;
}
