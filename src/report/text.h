/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON profile as text for people: a summary of one screen, then the lines of every file. */
#ifndef SCALENE_REPORT_TEXT_H
#define SCALENE_REPORT_TEXT_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum text_lines {
    TEXT_LINES_USUAL,   /* from 1% on, with a line of context and the headers around them */
    TEXT_LINES_REDUCED, /* every line with activity, nothing else */
    TEXT_LINES_ALL,
};

struct text_options {
    unsigned columns; /* of the terminal; 0: 100, where the output is no terminal */
    bool has_colour;
    bool is_ascii; /* the terminal shows no UTF-8 */
    enum text_lines lines;
};

/* Takes any JSON; false only when `out` cannot be written. */
bool report_text(const json_t *profile, const struct text_options *o, FILE *out, struct err *e);

#endif
