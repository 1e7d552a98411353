/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the outline one logical line at a time: only the first words of a line and its
 * indentation decide, because Python allows a loop, def or class nowhere else. */
#include "source/outline.h"

#include "base/map.h"
#include "source/token.h"

#include <string.h>

struct builder {
    struct outline *outline;
    struct tokenizer tokenizer;
    uint32_t open;           /* innermost open block, or BLOCK_NONE */
    uint32_t last_line;      /* where the previous logical line ended */
    uint32_t decorator_line; /* of the first decorator that waits for its def; 0: none */
    struct map seen_imports;
    vec_of(struct token) line; /* the tokens of one logical line, comments left out */
};

static uint32_t column_of(const struct tokenizer *t, size_t at)
{
    size_t start = at;
    while (start > 0 && t->text[start - 1] != '\n')
        start--;
    uint32_t column = 0;
    for (; start < at; start++) {
        if (t->text[start] == '\t')
            column = (column / 8 + 1) * 8;
        else
            column = t->text[start] == '\f' ? 0 : column + 1;
    }
    return column;
}

static void close_blocks(struct builder *b, uint32_t column, bool is_else)
{
    while (b->open != BLOCK_NONE) {
        struct block *block = &b->outline->blocks.items[b->open];
        bool continues = is_else && block->kind == BLOCK_LOOP && block->column == column;
        if (block->column < column || continues)
            return;
        block->end_line = b->last_line;
        b->open = block->parent;
    }
}

static const char *qualified_name(struct builder *b, const struct token *name)
{
    struct arena *names = &b->outline->names;
    const char *text = b->tokenizer.text + name->start;
    int n = (int)(name->end - name->start);
    uint32_t i = b->open;
    while (i != BLOCK_NONE && b->outline->blocks.items[i].kind == BLOCK_LOOP)
        i = b->outline->blocks.items[i].parent;
    if (i == BLOCK_NONE)
        return arena_printf(names, "%.*s", n, text);
    const struct block *outer = &b->outline->blocks.items[i];
    const char *between = outer->kind == BLOCK_FUNCTION ? ".<locals>." : ".";
    return arena_printf(names, "%s%s%.*s", outer->name, between, n, text);
}

static void open_block(struct builder *b, enum block_kind kind, const struct token *name,
                       uint32_t column)
{
    uint32_t start = b->line.items[0].line;
    struct block block = {.kind = kind, .start_line = start, .end_line = start, .column = column};
    block.parent = b->open;
    block.name = name ? qualified_name(b, name) : NULL;
    bool is_decorated = kind != BLOCK_LOOP && b->decorator_line;
    block.first_line = is_decorated ? b->decorator_line : start;
    *vec_push(&b->outline->blocks) = block;
    b->open = (uint32_t)b->outline->blocks.n - 1;
}

static const struct {
    const char *word;
    enum block_kind kind;
} openers[] = {
    {"def", BLOCK_FUNCTION},
    {"class", BLOCK_CLASS},
    {"for", BLOCK_LOOP},
    {"while", BLOCK_LOOP},
};

static void add_block(struct builder *b, uint32_t column)
{
    size_t at = token_is(&b->tokenizer, &b->line.items[0], "async") ? 1 : 0;
    for (size_t i = 0; at < b->line.n && i < sizeof openers / sizeof *openers; i++) {
        if (!token_is(&b->tokenizer, &b->line.items[at], openers[i].word))
            continue;
        if (openers[i].kind == BLOCK_LOOP)
            open_block(b, BLOCK_LOOP, NULL, column);
        else if (at + 1 < b->line.n)
            open_block(b, openers[i].kind, &b->line.items[at + 1], column);
    }
}

/* Adds the import statement that begins with token `at`: words joined by single blanks, without the
 * brackets and line ends it may have in the file. */
static void add_import(struct builder *b, size_t at)
{
    const struct tokenizer *t = &b->tokenizer;
    vec_of(char) text = {0};
    bool is_after_word = false;
    for (; at < b->line.n && !token_is(t, &b->line.items[at], ";"); at++) {
        const struct token *token = &b->line.items[at];
        char c = t->text[token->start];
        bool is_last = at + 1 == b->line.n || token_is(t, &b->line.items[at + 1], ")");
        if (c == '(' || c == ')' || (c == ',' && is_last))
            continue;
        bool is_word = token->kind != TOKEN_OPERATOR || c == '*';
        bool is_after_comma = text.n && text.items[text.n - 1] == ',';
        bool is_after_dots = text.n && text.items[text.n - 1] == '.';
        bool is_import = token->kind == TOKEN_KEYWORD;
        bool is_first_dot = c == '.' && text.n == 4; /* "from ." */
        if (is_after_comma || (is_word && is_after_word) || (is_import && is_after_dots) ||
            is_first_dot)
            *vec_push(&text) = ' ';
        for (size_t i = token->start; i < token->end; i++)
            *vec_push(&text) = t->text[i];
        is_after_word = is_word;
    }
    bool is_new;
    map_at(&b->seen_imports, text.items, text.n, &is_new);
    if (is_new)
        *vec_push(&b->outline->imports) = arena_strndup(&b->outline->names, text.items, text.n);
    vec_fini(&text);
}

static void add_imports(struct builder *b)
{
    bool is_statement = true;
    for (size_t i = 0; i < b->line.n; i++) {
        const struct token *token = &b->line.items[i];
        bool is_import =
            token_is(&b->tokenizer, token, "import") || token_is(&b->tokenizer, token, "from");
        if (is_statement && is_import)
            add_import(b, i);
        is_statement = token_is(&b->tokenizer, token, ";") || token_is(&b->tokenizer, token, ":");
    }
}

static void add_line(struct builder *b)
{
    const struct token *first = &b->line.items[0];
    uint32_t column = column_of(&b->tokenizer, first->start);
    close_blocks(b, column, token_is(&b->tokenizer, first, "else"));
    bool is_decorator = token_is(&b->tokenizer, first, "@");
    if (!is_decorator) {
        add_block(b, column);
        add_imports(b);
        b->decorator_line = 0;
    } else if (b->decorator_line == 0) {
        b->decorator_line = first->line;
    }
    b->last_line = b->line.items[b->line.n - 1].end_line;
}

/* Inner blocks come after outer ones, so the last to write a line is the innermost. */
static void fill_lines(struct outline *o)
{
    o->innermost = xrealloc(NULL, o->n_lines * sizeof *o->innermost);
    memset(o->innermost, 0xff, o->n_lines * sizeof *o->innermost);
    for (size_t i = 0; i < o->blocks.n; i++) {
        const struct block *block = &o->blocks.items[i];
        for (uint32_t line = block->start_line; line <= block->end_line && line <= o->n_lines;
             line++)
            o->innermost[line - 1] = (uint32_t)i;
    }
}

void outline_init(struct outline *o, const char *text, size_t n_bytes, uint32_t n_lines)
{
    *o = (struct outline){.n_lines = n_lines};
    struct builder b = {.outline = o, .open = BLOCK_NONE};
    token_init(&b.tokenizer, text, n_bytes);
    struct token token;
    while (token_next(&b.tokenizer, &token)) {
        if (token.kind == TOKEN_NEWLINE && b.line.n) {
            add_line(&b);
            b.line.n = 0;
        } else if (token.kind != TOKEN_COMMENT && token.kind != TOKEN_NEWLINE) {
            *vec_push(&b.line) = token;
        }
    }
    close_blocks(&b, 0, false);
    fill_lines(o);
    map_fini(&b.seen_imports);
    vec_fini(&b.line);
}

void outline_fini(struct outline *o)
{
    vec_fini(&o->blocks);
    vec_fini(&o->imports);
    free(o->innermost);
    arena_fini(&o->names);
    *o = (struct outline){0};
}

struct outline_place outline_place(const struct outline *o, uint32_t line)
{
    struct outline_span self = {line, line};
    struct outline_place place = {.region = self, .outermost_loop = self};
    uint32_t i = line >= 1 && line <= o->n_lines ? o->innermost[line - 1] : BLOCK_NONE;
    for (bool is_first = true; i != BLOCK_NONE; i = o->blocks.items[i].parent, is_first = false) {
        const struct block *block = &o->blocks.items[i];
        struct outline_span span = {block->start_line, block->end_line};
        if (is_first)
            place.region = place.outermost_loop = span;
        if (block->kind == BLOCK_LOOP) {
            place.outermost_loop = span;
            continue;
        }
        place.function = span;
        place.name = block->name;
        break;
    }
    return place;
}

static bool has_bare_name(const struct block *block, const char *name)
{
    if (block->kind != BLOCK_FUNCTION)
        return false;
    const char *dot = strrchr(block->name, '.');
    return strcmp(dot ? dot + 1 : block->name, name) == 0;
}

const char *outline_qualify(const struct outline *o, const char *name, uint32_t line)
{
    if (strchr(name, '.'))
        return name;
    uint32_t i = line >= 1 && line <= o->n_lines ? o->innermost[line - 1] : BLOCK_NONE;
    for (; i != BLOCK_NONE; i = o->blocks.items[i].parent) {
        if (has_bare_name(&o->blocks.items[i], name))
            return o->blocks.items[i].name;
    }
    for (size_t k = 0; k < o->blocks.n; k++) { /* a decorator lies before the block it belongs to */
        const struct block *block = &o->blocks.items[k];
        if (block->first_line <= line && line < block->start_line && has_bare_name(block, name))
            return block->name;
    }
    return name;
}
