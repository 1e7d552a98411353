/* SPDX-License-Identifier: Apache-2.0 */
/* The table [tool.scalene] of a pyproject.toml.
 *
 * Of TOML this reads what such a table needs: strings on one line, numbers, booleans, and arrays of
 * these, also over several lines. Everything outside of the table is only passed over, and for that
 * it is enough to know where strings and comments end: a bracket or a header inside of them is
 * none. */
#include "cli/config.h"

#include <string.h>

struct reader {
    struct config *config;
    const char *at;
    size_t line;
    struct err *e;
};

static bool wrong(struct reader *r, const char *what)
{
    return err_set(r->e, "in %s:%zu: %s", r->config->path, r->line, what);
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r");
}

/* Past the end of the line, if there is nothing but a comment before it. */
static bool end_line(struct reader *r)
{
    skip_blanks(r);
    if (*r->at == '#')
        r->at += strcspn(r->at, "\n");
    if (*r->at == '\n') {
        r->at++;
        r->line++;
        return true;
    }
    return *r->at == '\0';
}

static void skip_lines(struct reader *r)
{
    while (*r->at && end_line(r))
        continue;
}

/* Past a string of any of the four kinds. */
static void skip_string(struct reader *r)
{
    char quote = *r->at;
    bool is_long = r->at[1] == quote && r->at[2] == quote;
    r->at += is_long ? 3 : 1;
    while (*r->at && (is_long || *r->at != '\n')) {
        if (*r->at == '\\' && quote == '"' && r->at[1]) {
            r->at++;
        } else if (*r->at == quote && (!is_long || (r->at[1] == quote && r->at[2] == quote))) {
            r->at += is_long ? 3 : 1;
            return;
        }
        r->line += *r->at == '\n';
        r->at++;
    }
}

/* Past a pair of another table, its value over as many lines as it takes. */
static void skip_pair(struct reader *r)
{
    int depth = 0;
    while (*r->at && (depth > 0 || *r->at != '\n')) {
        if (*r->at == '"' || *r->at == '\'') {
            skip_string(r);
            continue;
        }
        if (*r->at == '#') {
            r->at += strcspn(r->at, "\n");
            continue;
        }
        depth += *r->at == '[' || *r->at == '{';
        depth -= *r->at == ']' || *r->at == '}';
        r->line += *r->at == '\n';
        r->at++;
    }
}

static char unescaped(char letter)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    const char *found = letter ? strchr(from, letter) : NULL;
    return found ? to[found - from] : '\0';
}

static const char *read_string(struct reader *r)
{
    char quote = *r->at++, *text = arena_alloc(&r->config->arena, strcspn(r->at, "\n") + 1);
    size_t n = 0;
    if (r->at[0] == quote && r->at[1] == quote)
        return wrong(r, "strings over several lines are not understood here."), NULL;
    for (; *r->at && *r->at != '\n' && *r->at != quote; r->at++) {
        text[n] = *r->at;
        if (*r->at == '\\' && quote == '"' && !(text[n] = unescaped(*++r->at)))
            return wrong(r, "this escape in a string is not understood."), NULL;
        n++;
    }
    if (*r->at != quote)
        return wrong(r, "a string does not end."), NULL;
    r->at++;
    text[n] = '\0';
    return text;
}

static const char *read_scalar(struct reader *r)
{
    if (*r->at == '"' || *r->at == '\'')
        return read_string(r);
    size_t n = strcspn(r->at, " \t\r\n#,]");
    const char *text = arena_strndup(&r->config->arena, r->at, n);
    r->at += n;
    if (n == 0 || *text == '[' || *text == '{')
        return wrong(r, "a string, a number, true or false is expected."), NULL;
    return text;
}

/* ["a", "b"] as "a,b". */
static const char *read_array(struct reader *r)
{
    const char *text = "";
    r->at++;
    for (;;) {
        skip_lines(r);
        if (*r->at == ']')
            break;
        const char *item = read_scalar(r);
        if (!item)
            return NULL;
        text = arena_printf(&r->config->arena, "%s%s%s", text, *text ? "," : "", item);
        skip_lines(r);
        if (*r->at == ',')
            r->at++;
        else if (*r->at != ']')
            return wrong(r, "an array does not end."), NULL;
    }
    r->at++;
    return text;
}

static bool read_pair(struct reader *r)
{
    struct config_entry entry = {.line = r->line};
    if (*r->at == '"' || *r->at == '\'') {
        entry.key = read_string(r);
    } else {
        size_t n =
            strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
        entry.key = n ? arena_strndup(&r->config->arena, r->at, n) : NULL;
        r->at += n;
    }
    skip_blanks(r);
    if (!entry.key || *r->at != '=')
        return wrong(r, "a line like profile-all = true is expected.");
    r->at++;
    skip_blanks(r);
    entry.value = *r->at == '[' ? read_array(r) : read_scalar(r);
    if (!entry.value)
        return false;
    if (!end_line(r))
        return wrong(r, "there is something after the value.");
    *vec_push(&r->config->entries) = entry;
    return true;
}

/* Whether a header, without its blanks and quotes, is [tool.scalene]. */
static bool is_ours(struct reader *r)
{
    char name[32];
    size_t n = 0;
    for (; *r->at && *r->at != '\n' && *r->at != '#'; r->at++)
        if (!strchr(" \t\r\"'", *r->at) && n < sizeof name - 1)
            name[n++] = *r->at;
    name[n] = '\0';
    return strcmp(name, "[tool.scalene]") == 0;
}

bool config_read_toml(struct config *config, const char *text, struct err *e)
{
    struct reader r = {.config = config, .at = text, .line = 1, .e = e};
    bool is_inside = false;
    for (skip_lines(&r); *r.at; skip_lines(&r)) {
        if (*r.at == '[')
            is_inside = is_ours(&r);
        else if (!is_inside)
            skip_pair(&r);
        else if (!read_pair(&r))
            return false;
    }
    return true;
}
