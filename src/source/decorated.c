/* SPDX-License-Identifier: Apache-2.0 */
#include "source/decorated.h"

#include <ctype.h>
#include <string.h>

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The text of a line from its first character that is no blank; *n is what is left of it. */
static const char *line_text(const struct source *source, uint32_t line, size_t *n)
{
    const struct source_line *l = &source->lines[line - 1];
    const char *text = source->text + l->start;
    *n = l->n_bytes;
    while (*n && (*text == ' ' || *text == '\t')) {
        text++;
        (*n)--;
    }
    return text;
}

/* Whether a text begins with a word. */
static bool begins_with(const char *text, size_t n, const char *word)
{
    size_t n_word = strlen(word);
    return n >= n_word && memcmp(text, word, n_word) == 0 &&
           (n == n_word || !is_name_character(text[n_word]));
}

static bool is_decorated(const struct source *source, const struct block *block, const char *name)
{
    for (uint32_t line = block->first_line; line < block->start_line; line++) {
        size_t n;
        const char *text = line <= source->n_lines ? line_text(source, line, &n) : NULL;
        if (text && n > 1 && text[0] == '@' && begins_with(text + 1, n - 1, name))
            return true;
    }
    return false;
}

bool decorated_has(const struct source *source, const char *name, uint32_t line)
{
    const struct outline *o = &source->outline;
    for (size_t i = 0; i < o->blocks.n; i++) {
        const struct block *block = &o->blocks.items[i];
        if (block->kind != BLOCK_LOOP && block->first_line <= line && line <= block->end_line &&
            is_decorated(source, block, name))
            return true;
    }
    return false;
}

/* Whether a statement has the name as a word of its own. */
static bool mentions(const char *statement, const char *name)
{
    for (const char *at = statement; (at = strstr(at, name)); at++)
        if ((at == statement || !is_name_character(at[-1])) && begins_with(at, strlen(at), name))
            return true;
    return false;
}

/* name = ..., on any level: whoever binds it in an except clause has thought of its absence. */
static bool is_bound(const struct source *source, const char *name)
{
    for (uint32_t line = 1; line <= source->n_lines; line++) {
        size_t n, n_name = strlen(name);
        const char *text = line_text(source, line, &n);
        if (!begins_with(text, n, name))
            continue;
        for (text += n_name, n -= n_name; n && *text == ' '; n--)
            text++;
        if (n && *text == '=' && (n == 1 || text[1] != '='))
            return true;
    }
    return false;
}

bool decorated_needs(const struct source *source, const char *name)
{
    const struct outline *o = &source->outline;
    bool is_used = false;
    for (size_t i = 0; i < o->blocks.n; i++) {
        const struct block *block = &o->blocks.items[i];
        if (block->name && strcmp(block->name, name) == 0)
            return false;
        is_used |= block->kind != BLOCK_LOOP && is_decorated(source, block, name);
    }
    for (size_t i = 0; i < o->imports.n; i++)
        if (mentions(o->imports.items[i], name))
            return false;
    return is_used && !is_bound(source, name);
}
