/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/text.h"

#include "base/vec.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT 0xfffdu

static bool is_character(uint32_t c)
{
    return c != 0 && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

/* Writes a character, at most 4 bytes, and returns where the next goes. */
static char *put(char *at, uint32_t c)
{
    if (!is_character(c))
        c = REPLACEMENT;
    if (c < 0x80) {
        *at++ = (char)c;
        return at;
    }
    unsigned n_more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};
    *at++ = (char)(leads[n_more] | c >> (6 * n_more));
    while (n_more--)
        *at++ = (char)(0x80 | (c >> (6 * n_more) & 63));
    return at;
}

static uint32_t char_at(const uint8_t *chars, size_t i, unsigned width)
{
    uint32_t c = 0;
    memcpy(&c, chars + i * width, width);
    return c;
}

char *text_from_python(struct arena *arena, const uint8_t *chars, size_t n_chars, unsigned width)
{
    size_t n_bytes = 0;
    char spare[4];
    for (size_t i = 0; i < n_chars; i++)
        n_bytes += (size_t)(put(spare, char_at(chars, i, width)) - spare);
    char *text = arena_alloc(arena, n_bytes + 1), *at = text;
    for (size_t i = 0; i < n_chars; i++)
        at = put(at, char_at(chars, i, width));
    return text;
}

/* The character that begins at `bytes`, and how long it is; a byte that begins none is one byte of
 * REPLACEMENT. */
static uint32_t take(const uint8_t *bytes, size_t n, size_t *n_taken)
{
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    uint8_t lead = *bytes;
    unsigned n_more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf8 ? 3 : 0;
    *n_taken = 1;
    if (lead < 0x80)
        return lead;
    if (n_more == 0 || n_more >= n)
        return REPLACEMENT;
    uint32_t c = lead & (0x3fu >> n_more);
    for (unsigned i = 1; i <= n_more; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        c = c << 6 | (bytes[i] & 63);
    }
    if (c < smallest[n_more] || !is_character(c))
        return REPLACEMENT;
    *n_taken = n_more + 1;
    return c;
}

char *text_from_bytes(struct arena *arena, const uint8_t *bytes, size_t n_bytes)
{
    char *text = arena_alloc(arena, 3 * n_bytes + 1), *at = text;
    for (size_t i = 0, n_taken; i < n_bytes; i += n_taken)
        at = put(at, take(bytes + i, n_bytes - i, &n_taken));
    return text;
}

const char *const *text_list(struct arena *arena, const uint8_t *bytes, size_t n_bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; i++)
        n += bytes[i] == 0;
    const char **list = arena_alloc(arena, (n + 1) * sizeof *list);
    const uint8_t *at = bytes;
    for (size_t i = 0; i < n; i++) {
        size_t n_text = strlen((const char *)at);
        list[i] = text_from_bytes(arena, at, n_text);
        at += n_text + 1;
    }
    return list;
}

/* Removes the last component of the path written so far. */
static char *parent(char *start, char *at)
{
    while (at > start && *--at != '/')
        ;
    return at;
}

char *text_absolute_path(struct arena *arena, const char *cwd, const char *name)
{
    if (name[0] == '<')
        return arena_strndup(arena, name, strlen(name));
    char *joined = name[0] == '/' ? arena_printf(arena, "%s", name)
                                  : arena_printf(arena, "%s/%s", cwd ? cwd : "", name);
    char *path = arena_alloc(arena, strlen(joined) + 2), *at = path;
    for (const char *part = joined; *part;) {
        size_t n = strcspn(part, "/");
        if (n == 2 && part[0] == '.' && part[1] == '.') {
            at = parent(path, at);
        } else if (n > 0 && !(n == 1 && part[0] == '.')) {
            *at++ = '/';
            memcpy(at, part, n);
            at += n;
        }
        part += n + (part[n] == '/');
    }
    if (at == path)
        *at++ = '/';
    *at = 0;
    return path;
}
