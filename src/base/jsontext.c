/* SPDX-License-Identifier: Apache-2.0 */
/* A check of JSON in one pass: a loop over tokens that knows what may come next, and one bit for
 * each object or array that is open. */
#include "base/jsontext.h"

#include <stdint.h>
#include <string.h>

enum wants { WANTS_VALUE, WANTS_KEY, WANTS_COMMA, WANTS_NOTHING };

struct checker {
    const unsigned char *at, *end;
    enum wants wants;
    bool may_close; /* directly after an opening bracket */
    unsigned depth;
    uint64_t is_object[JSONTEXT_DEPTH_MAX / 64]; /* a bit for each open bracket */
};

static bool in_object(const struct checker *c)
{
    unsigned top = c->depth - 1;
    return c->depth > 0 && (c->is_object[top / 64] >> top % 64 & 1);
}

static void skip_blanks(struct checker *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\r' || *c->at == '\t'))
        c->at++;
}

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* What follows a backslash. */
static bool skip_escape(struct checker *c)
{
    unsigned char kind = c->at < c->end ? *c->at++ : 0;
    if (kind != 'u')
        return kind && strchr("\"\\/bfnrt", kind);
    for (int i = 0; i < 4; i++)
        if (c->at == c->end || !is_hex(*c->at++))
            return false;
    return true;
}

static bool skip_string(struct checker *c)
{
    if (c->at == c->end || *c->at++ != '"')
        return false;
    while (c->at < c->end) {
        unsigned char byte = *c->at++;
        if (byte == '"')
            return true;
        if (byte < 0x20 || (byte == '\\' && !skip_escape(c)))
            return false;
    }
    return false;
}

static bool skip_digits(struct checker *c)
{
    const unsigned char *from = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return c->at > from;
}

static bool skip_if(struct checker *c, unsigned char byte)
{
    bool is_there = c->at < c->end && *c->at == byte;
    c->at += is_there;
    return is_there;
}

static bool skip_number(struct checker *c)
{
    skip_if(c, '-');
    if (!skip_if(c, '0') && !skip_digits(c))
        return false;
    if (skip_if(c, '.') && !skip_digits(c))
        return false;
    if (!skip_if(c, 'e') && !skip_if(c, 'E'))
        return true;
    if (!skip_if(c, '+'))
        skip_if(c, '-');
    return skip_digits(c);
}

static bool skip_word(struct checker *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

static bool open_bracket(struct checker *c)
{
    bool is_object = *c->at++ == '{';
    if (c->depth == JSONTEXT_DEPTH_MAX)
        return false;
    uint64_t bit = (uint64_t)1 << c->depth % 64, *word = &c->is_object[c->depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    c->depth++;
    c->wants = is_object ? WANTS_KEY : WANTS_VALUE;
    c->may_close = true;
    return true;
}

/* After a value: what may follow depends on where it stands. */
static bool valued(struct checker *c, bool is_well)
{
    c->wants = c->depth ? WANTS_COMMA : WANTS_NOTHING;
    c->may_close = c->depth > 0;
    return is_well;
}

static bool take_value(struct checker *c)
{
    switch (*c->at) {
    case '{':
    case '[':
        return open_bracket(c);
    case '"':
        return valued(c, skip_string(c));
    case 't':
        return valued(c, skip_word(c, "true"));
    case 'f':
        return valued(c, skip_word(c, "false"));
    case 'n':
        return valued(c, skip_word(c, "null"));
    default:
        return valued(c, skip_number(c));
    }
}

static bool take_key(struct checker *c)
{
    if (!skip_string(c))
        return false;
    skip_blanks(c);
    c->wants = WANTS_VALUE;
    c->may_close = false;
    return skip_if(c, ':');
}

static bool take_comma(struct checker *c)
{
    c->wants = in_object(c) ? WANTS_KEY : WANTS_VALUE;
    c->may_close = false;
    return skip_if(c, ',');
}

static bool take_token(struct checker *c)
{
    if (c->may_close && *c->at == (in_object(c) ? '}' : ']')) {
        c->at++;
        c->depth--;
        return valued(c, true);
    }
    switch (c->wants) {
    case WANTS_VALUE:
        return take_value(c);
    case WANTS_KEY:
        return take_key(c);
    case WANTS_COMMA:
        return take_comma(c);
    case WANTS_NOTHING:
        break;
    }
    return false;
}

bool jsontext_is_object(const char *bytes, size_t n)
{
    struct checker c = {.at = (const unsigned char *)bytes,
                        .end = (const unsigned char *)bytes + n};
    skip_blanks(&c);
    if (c.at == c.end || *c.at != '{')
        return false;
    while (c.at < c.end) {
        if (!take_token(&c))
            return false;
        skip_blanks(&c);
    }
    return c.wants == WANTS_NOTHING;
}
