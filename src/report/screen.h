/* SPDX-License-Identifier: Apache-2.0 */
/* Text on a terminal: measured in columns, cut to fit, coloured, and never more than text. Whatever
 * a profile holds, no control character of it comes out. */
#ifndef SCALENE_REPORT_SCREEN_H
#define SCALENE_REPORT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum paint {
    PAINT_PLAIN,
    PAINT_BOLD,
    PAINT_DIM,
    PAINT_HOT, /* the lines to look at: bold red */
    PAINT_WARNING,
    PAINT_PYTHON, /* three steps of one hue: the parts of time */
    PAINT_NATIVE,
    PAINT_SYSTEM,
    PAINT_MEMORY,
    PAINT_KEYWORD,
    PAINT_STRING,
    PAINT_COMMENT,
    PAINT_NUMBER,
    PAINT_NAME, /* what a def or class names */
    PAINTS,
};

struct screen {
    FILE *out; /* borrowed */
    unsigned columns;
    bool has_colour, is_ascii;
    enum paint paint; /* in force */
};

/* How many columns a text takes: tabs to multiples of 4, wide characters 2, combining ones 0. */
size_t screen_columns(const char *text, size_t n_bytes);

/* Writes at most `columns` of a text, the last one an ellipsis when it had to be cut, and returns
 * how many it took. `paints`, when given, has a paint for every byte; else `paint` is for all. */
size_t screen_put(struct screen *s, const char *text, size_t n_bytes, size_t columns,
                  const uint8_t *paints, enum paint paint);
/* The same for a string, all of it. */
void screen_text(struct screen *s, enum paint paint, const char *text);
void screen_left(struct screen *s, enum paint paint, const char *text, size_t columns);
void screen_right(struct screen *s, enum paint paint, const char *text, size_t columns);
/* A path: cut at its front, where it tells least. */
void screen_path(struct screen *s, enum paint paint, const char *path, size_t columns);
void screen_blanks(struct screen *s, size_t n);
void screen_newline(struct screen *s);
void screen_rule(struct screen *s);

/* Glyphs by what the terminal can show. */
const char *screen_plus_minus(const struct screen *s);
/* `n` cells of a bar in the colour of `paint`, or in a glyph of its own where there is none. */
void screen_bar(struct screen *s, enum paint paint, size_t n);
/* A curve of `columns` cells; nothing is the lowest glyph, the largest value the highest. */
void screen_curve(struct screen *s, enum paint paint, const double *values, size_t n,
                  size_t columns);

#endif
