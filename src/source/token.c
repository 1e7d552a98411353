/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizer; strings, which are most of the work, are in literal.c. */
#include "source/token.h"

#include "source/literal.h"

#include <stdlib.h>
#include <string.h>

/* In the order of strcmp, for bsearch. */
static const char *const keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};

/* Keywords that begin a statement and never stand inside brackets: one at the head of a line shows
 * that a bracket above it was never closed. */
static const char *const statement_keywords[] = {
    "assert",   "break", "class", "continue", "def", "del",   "global", "import",
    "nonlocal", "pass",  "raise", "return",   "try", "while", "with",
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_word_of(const char *const *words, size_t n_words, const char *text, size_t n_bytes)
{
    char word[16];
    if (n_bytes >= sizeof word)
        return false;
    memcpy(word, text, n_bytes);
    word[n_bytes] = '\0';
    const char *key = word;
    return bsearch(&key, words, n_words, sizeof *words, compare_words) != NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes above ASCII belong to names: Python allows letters of every script there. */
static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
           (unsigned char)c >= 0x80;
}

static char byte_at(const struct tokenizer *t, size_t at)
{
    return at < t->n_bytes ? t->text[at] : '\0';
}

void token_init(struct tokenizer *t, const char *text, size_t n_bytes)
{
    *t = (struct tokenizer){.text = text, .n_bytes = n_bytes, .line = 1, .is_line_fresh = true};
}

bool token_is(const struct tokenizer *t, const struct token *token, const char *text)
{
    size_t n = token->end - token->start;
    return strlen(text) == n && memcmp(t->text + token->start, text, n) == 0;
}

static size_t number_end(const struct tokenizer *t, size_t at)
{
    bool is_hex = byte_at(t, at) == '0' && (byte_at(t, at + 1) | 0x20) == 'x';
    for (;; at++) {
        char c = byte_at(t, at);
        if (is_name_byte(c) || c == '.')
            continue;
        bool is_exponent = !is_hex && (c == '+' || c == '-') &&
                           (byte_at(t, at - 1) | 0x20) == 'e' && is_digit(byte_at(t, at + 1));
        if (!is_exponent)
            return at;
    }
}

static void take_name(struct tokenizer *t, struct token *token)
{
    size_t end = t->at;
    while (end < t->n_bytes && is_name_byte(t->text[end]))
        end++;
    size_t n = end - t->at;
    struct literal shape;
    if (literal_begins(t->text, t->n_bytes, t->at, end, &shape)) {
        token->kind = TOKEN_STRING;
        token->end = literal_end(t->text, t->n_bytes, end, &shape, &t->has_endless_field);
        return;
    }
    bool is_keyword = is_word_of(keywords, sizeof keywords / sizeof *keywords, t->text + t->at, n);
    token->kind = is_keyword ? TOKEN_KEYWORD : TOKEN_NAME;
    token->end = end;
}

static void take_operator(struct tokenizer *t, struct token *token)
{
    char c = t->text[t->at];
    token->kind = TOKEN_OPERATOR;
    token->end = t->at + 1;
    if (c == '(' || c == '[' || c == '{')
        t->n_open++;
    else if (c == ')' || c == ']' || c == '}')
        t->n_open -= t->n_open > 0;
    else if (c == '-' && byte_at(t, t->at + 1) == '>')
        token->end++;
}

/* Skips blanks, joined lines and empty lines; stops at a token or at the newline that ends a
 * logical line. */
static void skip_blanks(struct tokenizer *t)
{
    for (; t->at < t->n_bytes; t->at++) {
        char c = t->text[t->at];
        bool is_joined = c == '\\' && byte_at(t, t->at + 1) == '\n';
        if (is_joined)
            t->at++;
        if (is_joined || (c == '\n' && (t->n_open > 0 || !t->has_content))) {
            t->line++;
            t->is_line_fresh = true;
        } else if (c == '\n' || !strchr(" \t\f\r", c) || c == '\0') {
            return;
        }
    }
}

static bool breaks_open_bracket(const struct tokenizer *t)
{
    if (t->n_open == 0 || !t->is_line_fresh)
        return false;
    size_t end = t->at;
    while (end < t->n_bytes && is_name_byte(t->text[end]))
        end++;
    return is_word_of(statement_keywords, sizeof statement_keywords / sizeof *statement_keywords,
                      t->text + t->at, end - t->at);
}

static bool take_newline(struct tokenizer *t, struct token *token)
{
    bool is_real = byte_at(t, t->at) == '\n';
    *token = (struct token){TOKEN_NEWLINE, t->line, t->line, t->at, t->at + is_real};
    t->at += is_real;
    t->line += is_real;
    t->is_line_fresh = true;
    t->has_content = false;
    t->n_open = 0;
    return true;
}

static void take_content(struct tokenizer *t, struct token *token)
{
    char c = t->text[t->at];
    struct literal shape;
    if (c == '#') {
        const char *end = memchr(t->text + t->at, '\n', t->n_bytes - t->at);
        token->kind = TOKEN_COMMENT;
        token->end = end ? (size_t)(end - t->text) : t->n_bytes;
    } else if (literal_begins(t->text, t->n_bytes, t->at, t->at, &shape)) {
        token->kind = TOKEN_STRING;
        token->end = literal_end(t->text, t->n_bytes, t->at, &shape, &t->has_endless_field);
    } else if (is_digit(c) || (c == '.' && is_digit(byte_at(t, t->at + 1)))) {
        token->kind = TOKEN_NUMBER;
        token->end = number_end(t, t->at);
    } else if (is_name_byte(c)) {
        take_name(t, token);
    } else {
        take_operator(t, token);
    }
}

bool token_next(struct tokenizer *t, struct token *token)
{
    skip_blanks(t);
    if (t->at >= t->n_bytes)
        return t->has_content ? take_newline(t, token) : false;
    if (t->text[t->at] == '\n' || breaks_open_bracket(t))
        return take_newline(t, token);
    *token = (struct token){.line = t->line, .start = t->at};
    take_content(t, token);
    for (size_t i = t->at; token->kind == TOKEN_STRING && i < token->end; i++)
        t->line += t->text[i] == '\n';
    token->end_line = t->line;
    t->at = token->end;
    t->is_line_fresh = false;
    t->has_content |= token->kind != TOKEN_COMMENT;
    return true;
}
