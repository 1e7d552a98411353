/* SPDX-License-Identifier: Apache-2.0 */
/* Where a Python string literal ends: every prefix, triple quotes, and the fields of f-strings,
 * which since 3.12 may hold the very quotes that delimit them. */
#ifndef SCALENE_SOURCE_LITERAL_H
#define SCALENE_SOURCE_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

struct literal {
    char quote;
    bool is_triple;
    bool has_fields; /* an f-string or t-string */
};

/* Whether [prefix, at) are the letters before a string whose quote stands at `at`. */
bool literal_begins(const char *text, size_t n_bytes, size_t prefix, size_t at,
                    struct literal *shape);

/* The offset after the string whose quote stands at `at`. A string that is not closed ends with its
 * line, or with the text when it is triple quoted. *has_endless_field is set when a field swallowed
 * the rest of the text, and keeps later f-strings from trying the same again: the whole file is
 * read in linear time. */
size_t literal_end(const char *text, size_t n_bytes, size_t at, const struct literal *shape,
                   bool *has_endless_field);

#endif
