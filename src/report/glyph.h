/* SPDX-License-Identifier: Apache-2.0 */
/* How wide a character is on a terminal, and which ones must not reach it. Not wcwidth(): that
 * answers by the locale, and the same profile must give the same bytes. */
#ifndef SCALENE_REPORT_GLYPH_H
#define SCALENE_REPORT_GLYPH_H

#include <stdbool.h>
#include <stddef.h>

struct glyph {
    size_t n_bytes;
    size_t columns;
    bool is_tab;
    bool is_hidden; /* a control, a direction mark or no UTF-8: shown as a replacement */
};

/* The first character of text[0..n_bytes), n_bytes > 0, as it stands at `column`: its bytes. */
size_t glyph_next(const char *text, size_t n_bytes, size_t column, struct glyph *glyph);

#endif
