/* SPDX-License-Identifier: Apache-2.0 */
/* How the rows of a table are laid out on a screen: its columns, then code or a name. */
#ifndef SCALENE_REPORT_LAYOUT_H
#define SCALENE_REPORT_LAYOUT_H

#include "report/text_part.h"

#define LAYOUT_COLUMNS 16u

struct layout {
    struct screen *s;     /* borrows */
    const struct view *v; /* borrows */
    bool is_shown[LAYOUT_COLUMNS];
    unsigned line_width; /* of the column of line numbers: as many digits as they need */
    unsigned code_width;
};

/* Chooses the columns for a profile, a terminal, and the line numbers of `lines`. */
void layout_init(struct layout *l, struct screen *s, const struct view *v, const view_rows *lines);
void layout_heading(const struct layout *l, const char *last);
/* Numbers in `paint`; the text by byte in `paints`, or all in code_paint where that is NULL. */
void layout_row(const struct layout *l, const struct view_row *row, enum paint paint,
                const uint8_t *paints, enum paint code_paint);
/* Stands for rows that are not shown. */
void layout_gap(const struct layout *l);
/* Hot rows stand out, unsure ones stand back. */
enum paint layout_paint(const struct layout *l, const struct view_row *row);

#endif
