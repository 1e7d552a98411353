/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .eh_frame_hdr, a sorted table of functions, and as much of .eh_frame as says how long each
 * of them is.
 *
 *     .eh_frame_hdr   version, 3 encodings, address of .eh_frame, count,
 *                     then count pairs (function, its FDE), both relative to the header
 *     FDE             length, distance back to its CIE, function begin, function bytes, ...
 *     CIE             length, 0, version, augmentation string, ..., the encoding of the FDE's begin
 */
#include "symbol/eh_frame.h"

#include <string.h>

/* Encodings of pointers (DWARF exception header encodings): the low half says how wide the value
 * is, the next three bits what it is relative to. */
enum {
    ENCODING_WIDTH = 0x0f,
    ENCODING_BASE = 0x70,
    WIDTH_ABSOLUTE = 0x00,
    WIDTH_U32 = 0x03,
    WIDTH_U64 = 0x04,
    WIDTH_S32 = 0x0b,
    WIDTH_S64 = 0x0c,
    BASE_PC = 0x10,
    HEADER_TABLE = 0x3b, /* relative to the header, signed 32 bits: what all linkers write */
};

/* Bytes to be read one after the other; reading past the end gives zeros and is noted. */
struct cursor {
    const uint8_t *at, *end;
    uint64_t address; /* of `at` */
    bool is_over;
};

static struct cursor cursor_at(const struct elf_image *image, uint64_t address, uint64_t n)
{
    const uint8_t *at = elf_bytes(image, address, n);
    return (struct cursor){at, at ? at + n : at, address, at == NULL};
}

static const uint8_t *take(struct cursor *cursor, uint64_t n)
{
    static const uint8_t zeros[8];
    if (cursor->is_over || n > (uint64_t)(cursor->end - cursor->at)) {
        cursor->is_over = true;
        return zeros;
    }
    const uint8_t *bytes = cursor->at;
    cursor->at += n;
    cursor->address += n;
    return bytes;
}

/* Steps over a number of 7 bits a byte, signed or not. */
static void skip_leb128(struct cursor *cursor)
{
    while (!cursor->is_over && (*take(cursor, 1) & 0x80))
        ;
}

/* The value as it stands in the file, not yet relative to anything. */
static uint64_t take_value(struct cursor *cursor, uint8_t width)
{
    switch (width) {
    case WIDTH_U32:
        return elf_u32(take(cursor, 4));
    case WIDTH_S32:
        return elf_displacement(take(cursor, 4));
    case WIDTH_ABSOLUTE:
    case WIDTH_U64:
    case WIDTH_S64:
        return elf_u64(take(cursor, 8));
    default:
        cursor->is_over = true;
        return 0;
    }
}

static uint64_t take_pointer(struct cursor *cursor, uint8_t encoding)
{
    uint64_t base = (encoding & ENCODING_BASE) == BASE_PC ? cursor->address : 0;
    return base + take_value(cursor, encoding & ENCODING_WIDTH);
}

/* A cursor over one length-prefixed entry of .eh_frame, after its length. */
static struct cursor entry_at(const struct elf_image *image, uint64_t address)
{
    const uint8_t *length = elf_bytes(image, address, 4);
    struct cursor none = {.is_over = true};
    if (!length || elf_u32(length) == 0 || elf_u32(length) == UINT32_MAX)
        return none;
    return cursor_at(image, address + 4, elf_u32(length));
}

/* How the FDEs of a CIE encode where their function begins. */
static bool cie_encoding(const struct elf_image *image, uint64_t address, uint8_t *encoding)
{
    struct cursor cursor = entry_at(image, address);
    take(&cursor, 4 + 1); /* the zero that tells a CIE from an FDE, and the version */
    if (cursor.is_over)
        return false;
    const char *augmentation = (const char *)cursor.at;
    if (!memchr(augmentation, 0, (size_t)(cursor.end - cursor.at)))
        return false;
    take(&cursor, strlen(augmentation) + 1);
    for (int i = 0; i < 3; i++) /* code and data alignment, return address register */
        skip_leb128(&cursor);
    *encoding = WIDTH_ABSOLUTE;
    if (*augmentation++ != 'z')
        return !cursor.is_over;
    skip_leb128(&cursor);
    for (; *augmentation && !cursor.is_over; augmentation++) {
        if (*augmentation == 'R')
            *encoding = *take(&cursor, 1);
        else if (*augmentation == 'L')
            take(&cursor, 1);
        else if (*augmentation == 'P')
            take_value(&cursor, *take(&cursor, 1) & ENCODING_WIDTH);
    }
    return !cursor.is_over;
}

static bool fde_range(const struct elf_image *image, uint64_t address, struct elf_range *range)
{
    struct cursor cursor = entry_at(image, address);
    uint64_t back_from = cursor.address;
    uint32_t back = elf_u32(take(&cursor, 4));
    uint8_t encoding;
    if (cursor.is_over || back == 0 || !cie_encoding(image, back_from - back, &encoding))
        return false;
    range->low = take_pointer(&cursor, encoding);
    range->high = range->low + take_value(&cursor, encoding & ENCODING_WIDTH);
    return !cursor.is_over && range->low < range->high;
}

/* The FDE of the last table entry that begins at or before an address; 0: none. */
static uint64_t fde_before(const struct elf_image *image, uint64_t address)
{
    uint64_t header = image->eh_frame_header;
    const uint8_t *head = header ? elf_bytes(image, header, 12) : NULL;
    /* version 1; the address of .eh_frame and the count in 4 bytes each */
    if (!head || head[0] != 1 || (head[1] & ENCODING_WIDTH) != WIDTH_S32 || head[2] != WIDTH_U32 ||
        head[3] != HEADER_TABLE)
        return 0;
    uint64_t n = elf_u32(head + 8);
    const uint8_t *table = elf_bytes(image, header + 12, 8 * n);
    if (!table)
        return 0;
    uint64_t low = 0, high = n;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (header + elf_displacement(table + 8 * middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? header + elf_displacement(table + 8 * (low - 1) + 4) : 0;
}

bool eh_frame_function(const struct elf_image *image, uint64_t address, struct elf_range *range)
{
    uint64_t fde = fde_before(image, address);
    return fde && fde_range(image, fde, range) && elf_holds(*range, address);
}
