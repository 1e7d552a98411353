/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding and encoding by one table of the four forms. */
#include "source/utf8.h"

/* By the number of bytes: what the first byte begins with, and the least code point that needs so
 * many. */
static const struct {
    unsigned char mask, lead;
    uint32_t least;
} forms[] = {
    {0x80, 0x00, 0},
    {0xe0, 0xc0, 0x80},
    {0xf0, 0xe0, 0x800},
    {0xf8, 0xf0, 0x10000},
};

size_t utf8_decode(const char *text, size_t n_bytes, uint32_t *code_point)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t n = 1; n <= 4 && n <= n_bytes; n++) {
        if ((bytes[0] & forms[n - 1].mask) != forms[n - 1].lead)
            continue;
        uint32_t value = bytes[0] & (unsigned char)~forms[n - 1].mask;
        for (size_t i = 1; i < n; i++) {
            if ((bytes[i] & 0xc0) != 0x80)
                return 0;
            value = value << 6 | (bytes[i] & 0x3fu);
        }
        if (value < forms[n - 1].least || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
            return 0;
        *code_point = value;
        return n;
    }
    return 0;
}

size_t utf8_append(char bytes[4], uint32_t code_point)
{
    size_t n = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code_point >>= 6)
        bytes[i] = (char)(0x80 | (code_point & 0x3f));
    bytes[0] = (char)(forms[n - 1].lead | code_point);
    return n;
}
