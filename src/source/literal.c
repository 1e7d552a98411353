/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of string literals. An f-string is read as 3.12 and later read it, which takes every
 * older f-string as well; where that fails the string is read again as a plain one. */
#include "source/literal.h"

#include <stdint.h>
#include <string.h>

#define NOT_CLOSED  SIZE_MAX
#define MAX_NESTING 16u /* f-strings within f-strings: no one writes more */

struct scan {
    const char *text;
    size_t n_bytes;
    bool *has_endless_field;
};

static size_t format_end(struct scan *s, size_t at, const struct literal *shape, unsigned nesting);

bool literal_begins(const char *text, size_t n_bytes, size_t prefix, size_t at,
                    struct literal *shape)
{
    if (at >= n_bytes || at - prefix > 2 || (text[at] != '"' && text[at] != '\''))
        return false;
    *shape = (struct literal){.quote = text[at]};
    for (size_t i = prefix; i < at; i++) {
        char letter = (char)(text[i] | 0x20);
        if (!strchr("rbuft", letter))
            return false;
        shape->has_fields |= letter == 'f' || letter == 't';
    }
    shape->is_triple = n_bytes - at >= 3 && text[at + 1] == text[at] && text[at + 2] == text[at];
    return true;
}

static bool closes(const struct scan *s, size_t at, const struct literal *shape)
{
    size_t n = shape->is_triple ? 3 : 1;
    if (s->n_bytes - at < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (s->text[at + i] != shape->quote)
            return false;
    }
    return true;
}

static size_t plain_end(const struct scan *s, size_t at, const struct literal *shape)
{
    size_t n_quotes = shape->is_triple ? 3 : 1;
    for (size_t i = at + n_quotes; i < s->n_bytes; i++) {
        if (s->text[i] == '\\')
            i++;
        else if (s->text[i] == '\n' && !shape->is_triple)
            return i;
        else if (closes(s, i, shape))
            return i + n_quotes;
    }
    return s->n_bytes;
}

/* What follows a backslash in the literal part of an f-string: a brace is a field all the same. (So
 * is the brace of \N{...}, but a name without quotes or brackets ends where a field would.) */
static size_t escape_end(const struct scan *s, size_t at)
{
    char c = at + 1 < s->n_bytes ? s->text[at + 1] : '\0';
    return c == '{' || c == '}' ? at + 1 : at + 2;
}

/* A string inside a field: its prefix has been passed already, so it is looked for backwards. */
static size_t nested_string_end(struct scan *s, size_t at, unsigned nesting)
{
    struct literal shape = {0};
    for (size_t back = 3; back-- > 0;) {
        if (back <= at && literal_begins(s->text, s->n_bytes, at - back, at, &shape))
            break;
    }
    if (!shape.has_fields)
        return plain_end(s, at, &shape);
    return nesting < MAX_NESTING ? format_end(s, at, &shape, nesting + 1) : NOT_CLOSED;
}

static size_t field_end(struct scan *s, size_t at, const struct literal *outer, unsigned nesting);

/* From after the colon of a field to after its closing brace. */
static size_t spec_end(struct scan *s, size_t at, const struct literal *outer, unsigned nesting)
{
    while (at < s->n_bytes) {
        char c = s->text[at];
        if (c == '}')
            return at + 1;
        if (closes(s, at, outer) || (c == '\n' && !outer->is_triple))
            return NOT_CLOSED;
        if (c == '{') {
            if (nesting >= MAX_NESTING)
                return NOT_CLOSED;
            at = field_end(s, at + 1, outer, nesting + 1);
        } else {
            at++;
        }
    }
    return NOT_CLOSED;
}

/* From after the opening brace of a field to after its closing one. */
static size_t field_end(struct scan *s, size_t at, const struct literal *outer, unsigned nesting)
{
    unsigned n_open = 0;
    while (at < s->n_bytes) {
        char c = s->text[at];
        if (c == '}' && n_open == 0)
            return at + 1;
        if (c == ':' && n_open == 0)
            return spec_end(s, at + 1, outer, nesting);
        if (c == '"' || c == '\'') {
            at = nested_string_end(s, at, nesting);
            continue;
        }
        if (c == '#') {
            const char *end = memchr(s->text + at, '\n', s->n_bytes - at);
            at = end ? (size_t)(end - s->text) : s->n_bytes;
            continue;
        }
        n_open += c == '(' || c == '[' || c == '{';
        n_open -= n_open > 0 && (c == ')' || c == ']' || c == '}');
        at++;
    }
    if (at != NOT_CLOSED)
        *s->has_endless_field = true;
    return NOT_CLOSED;
}

static size_t format_end(struct scan *s, size_t at, const struct literal *shape, unsigned nesting)
{
    size_t n_quotes = shape->is_triple ? 3 : 1;
    size_t i = at + n_quotes;
    while (i < s->n_bytes) {
        char c = s->text[i];
        if (c == '\\')
            i = escape_end(s, i);
        else if (c == '\n' && !shape->is_triple)
            return i;
        else if (closes(s, i, shape))
            return i + n_quotes;
        else if (c == '{' && i + 1 < s->n_bytes && s->text[i + 1] == '{')
            i += 2;
        else if (c == '{')
            i = field_end(s, i + 1, shape, nesting);
        else
            i++;
    }
    return i == NOT_CLOSED ? NOT_CLOSED : s->n_bytes;
}

size_t literal_end(const char *text, size_t n_bytes, size_t at, const struct literal *shape,
                   bool *has_endless_field)
{
    struct scan s = {text, n_bytes, has_endless_field};
    size_t end = NOT_CLOSED;
    if (shape->has_fields && !*has_endless_field)
        end = format_end(&s, at, shape, 0);
    return end == NOT_CLOSED ? plain_end(&s, at, shape) : end;
}
