/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on its way out: ASCII only, the same bytes for the same values in every locale.
 *
 * The writer places commas; the caller opens and closes, and gives keys in sorted order. */
#ifndef SCALENE_REPORT_WRITE_H
#define SCALENE_REPORT_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct writer {
    FILE *out;        /* borrowed */
    bool needs_comma; /* something stands before, in the innermost open object or array */
    bool has_key;     /* a key was written and waits for its value */
};

/* Containers; `open` is '{' or '[', `close` its partner. */
void write_open(struct writer *w, char open);
void write_close(struct writer *w, char close);
/* Begins a new line of text before the next item, so that profiles can be compared by diff. */
void write_break(struct writer *w);

void write_key(struct writer *w, const char *key);
void write_text(struct writer *w, const char *text);
void write_bool(struct writer *w, bool value);
void write_null(struct writer *w);
void write_count(struct writer *w, uint64_t value);
/* Six decimals at most: microseconds, and percentages beyond what any sample can tell. What is not
 * finite becomes 0. */
void write_number(struct writer *w, double value);

/* A line of source with its newline. The characters & < > become the six characters of a Unicode
 * escape within the text, as upstream's page expects them. */
void write_source(struct writer *w, const char *text, size_t n_bytes);

#endif
