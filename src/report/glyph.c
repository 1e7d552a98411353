/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of characters that are wide, have no width, or are not shown. */
#include "report/glyph.h"

#include "source/utf8.h"

#include <stdlib.h>

#define TAB_COLUMNS 4u /* eight, which Python counts, would push nested code off the screen */

struct range {
    uint32_t low, high;
};

/* Each table in ascending order. */
static const struct range combining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948},   {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x20d0, 0x20ff}, {0x3099, 0x309a},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
    {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
    {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};
/* Controls; marks without width; marks that turn the direction of text, with which code can be made
 * to look like other code. */
static const struct range hidden[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x061c, 0x061c}, {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe007f},
};

static int compare_range(const void *key, const void *item)
{
    const uint32_t *c = key;
    const struct range *range = item;
    return *c < range->low ? -1 : *c > range->high;
}

#define is_in(c, table)                                                                            \
    (bsearch(&(c), table, sizeof(table) / sizeof *(table), sizeof *(table), compare_range) != NULL)

size_t glyph_next(const char *text, size_t n_bytes, size_t column, struct glyph *glyph)
{
    uint32_t c;
    size_t n = utf8_decode(text, n_bytes, &c);
    *glyph = (struct glyph){.n_bytes = n ? n : 1, .columns = 1};
    if (n == 1 && c == '\t') {
        glyph->is_tab = true;
        glyph->columns = TAB_COLUMNS - column % TAB_COLUMNS;
    } else if (n == 0 || is_in(c, hidden)) {
        glyph->is_hidden = true;
    } else if (c >= 0x300) {
        glyph->columns = is_in(c, combining) ? 0 : is_in(c, wide) ? 2 : 1;
    }
    return glyph->n_bytes;
}
