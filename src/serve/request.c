/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of a request's head:
 *
 *     GET /token/profile.json?x=y HTTP/1.1 CR LF
 *     Host: 127.0.0.1:11235 CR LF
 *     ... CR LF
 *     CR LF
 *
 * Lines end with CR LF and nothing else; no line is folded, no header that we look at comes twice,
 * and no body follows. Whatever could be read in two ways is refused. */
#include "serve/request.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

bool slice_is(struct slice slice, const char *text)
{
    return slice.at && slice.n == strlen(text) && memcmp(slice.at, text, slice.n) == 0;
}

bool slice_is_nocase(struct slice slice, const char *text)
{
    return slice.at && slice.n == strlen(text) && strncasecmp(slice.at, text, slice.n) == 0;
}

/* What is left to read. */
struct reader {
    const char *at, *end;
};

/* The text up to `mark`, which is skipped; false: it does not come. */
static bool take_until(struct reader *r, const char *mark, struct slice *slice)
{
    size_t n_mark = strlen(mark);
    const char *found = memmem(r->at, (size_t)(r->end - r->at), mark, n_mark);
    if (!found)
        return false;
    *slice = (struct slice){r->at, (size_t)(found - r->at)};
    r->at = found + n_mark;
    return true;
}

/* The characters of methods and header names (RFC 9110, token). */
static bool is_token(struct slice text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < text.n; i++) {
        char c = text.at[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_letter && (c == '\0' || !strchr(others, c)))
            return false;
    }
    return text.n > 0;
}

/* Whether every byte is in [low, 0x7e]; a tab is none of them. */
static bool is_printable(struct slice text, char low)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.at[i] < low || text.at[i] > '~')
            return false;
    return true;
}

static unsigned read_target(struct slice target, struct request *request)
{
    if (target.n > REQUEST_TARGET_MAX)
        return 414;
    if (target.n == 0 || target.at[0] != '/' || !is_printable(target, '!'))
        return 400;
    const char *mark = memchr(target.at, '?', target.n);
    size_t n_path = mark ? (size_t)(mark - target.at) : target.n;
    request->path = (struct slice){target.at, n_path};
    if (mark)
        request->query = (struct slice){mark + 1, target.n - n_path - 1};
    return 0;
}

/* METHOD TARGET VERSION. 0: well formed. */
static unsigned read_first_line(struct slice line, struct request *request)
{
    struct reader r = {line.at, line.at + line.n};
    struct slice target;
    if (!take_until(&r, " ", &request->method) || !is_token(request->method) ||
        !take_until(&r, " ", &target))
        return 400;
    struct slice version = {r.at, (size_t)(r.end - r.at)};
    if (!slice_is(version, "HTTP/1.1") && !slice_is(version, "HTTP/1.0"))
        return version.n == 8 && memcmp(version.at, "HTTP/", 5) == 0 ? 505 : 400;
    return read_target(target, request);
}

static struct slice trimmed(struct slice text)
{
    while (text.n && (text.at[0] == ' ' || text.at[0] == '\t')) {
        text.at++;
        text.n--;
    }
    while (text.n && (text.at[text.n - 1] == ' ' || text.at[text.n - 1] == '\t'))
        text.n--;
    return text;
}

/* The headers that matter, and where they are kept. A body is announced by one of two others. */
static const struct {
    const char *name;
    size_t offset;
} kept[] = {
    {"host", offsetof(struct request, host)},
    {"origin", offsetof(struct request, origin)},
    {"sec-fetch-site", offsetof(struct request, fetch_site)},
};

static unsigned read_header(struct slice line, struct request *request)
{
    struct reader r = {line.at, line.at + line.n};
    struct slice name;
    if (!take_until(&r, ":", &name) || !is_token(name))
        return 400;
    struct slice value = trimmed((struct slice){r.at, (size_t)(r.end - r.at)});
    if (slice_is_nocase(name, "transfer-encoding"))
        return 413;
    if (slice_is_nocase(name, "content-length") && !slice_is(value, "0"))
        return 413;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        struct slice *field = (struct slice *)((char *)request + kept[i].offset);
        if (!slice_is_nocase(name, kept[i].name))
            continue;
        if (field->at || !is_printable(value, '!'))
            return 400;
        *field = value;
    }
    return 0;
}

/* Bytes that no head has: control characters but for the ends of lines and tabs. Found early, so
 * that garbage is refused at once and not after its deadline. */
static bool has_garbage(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if ((c < 0x20 && c != '\r' && c != '\n' && c != '\t') || c == 0x7f)
            return true;
        if (c == '\n' && (i == 0 || bytes[i - 1] != '\r'))
            return true;
        if (c == '\r' && i + 1 < n && bytes[i + 1] != '\n')
            return true;
    }
    return false;
}

static unsigned read_head(struct reader *r, struct request *request)
{
    struct slice line = {0};
    unsigned status = take_until(r, "\r\n", &line) ? read_first_line(line, request) : 400;
    while (status == 0 && take_until(r, "\r\n", &line) && line.n > 0)
        status = read_header(line, request);
    if (status == 0 && !request->host.n)
        status = 400;
    return status;
}

enum request_state request_parse(const char *bytes, size_t n, struct request *request,
                                 unsigned *status)
{
    *request = (struct request){0};
    const char *end = n ? memmem(bytes, n, "\r\n\r\n", 4) : NULL;
    size_t n_head = end ? (size_t)(end - bytes) + 4 : n;
    *status = 400;
    if (has_garbage(bytes, n_head))
        return REQUEST_BAD;
    if (!end) {
        *status = 431;
        return n < REQUEST_BYTES_MAX ? REQUEST_PARTIAL : REQUEST_BAD;
    }
    struct reader r = {bytes, bytes + n_head};
    *status = read_head(&r, request);
    return *status ? REQUEST_BAD : REQUEST_WHOLE;
}
