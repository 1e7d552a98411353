/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of a Python file, as far as its outline and its colours need them.
 *
 * It takes any bytes and always comes to the end: text that is not Python gives other tokens, never
 * a failure. A whole string, an f-string with its fields included, is one token. */
#ifndef SCALENE_SOURCE_TOKEN_H
#define SCALENE_SOURCE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_NAME,
    TOKEN_KEYWORD,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_COMMENT,
    TOKEN_OPERATOR,
    TOKEN_NEWLINE, /* the end of a logical line that holds something; brackets join lines */
};

struct token {
    enum token_kind kind;
    uint32_t line, end_line; /* from 1; they differ only for strings */
    size_t start, end;       /* bytes [start, end) of the text */
};

struct tokenizer {
    const char *text; /* borrowed; need not end with a zero */
    size_t n_bytes;
    size_t at;
    uint32_t line;
    uint32_t n_open;        /* brackets that are open */
    bool has_content;       /* the logical line holds a token */
    bool is_line_fresh;     /* nothing but blanks so far on this line of the file */
    bool has_endless_field; /* an f-string's field ran to the end: later ones are read as plain */
};

void token_init(struct tokenizer *t, const char *text, size_t n_bytes);
/* False at the end of the text. */
bool token_next(struct tokenizer *t, struct token *token);

/* Whether the token's text is exactly `text`. */
bool token_is(const struct tokenizer *t, const struct token *token, const char *text);

#endif
