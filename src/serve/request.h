/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an HTTP/1.x request, read strictly: what a browser never sends is refused.
 *
 * Pure: bytes in, a verdict and slices of the same bytes out. */
#ifndef SCALENE_SERVE_REQUEST_H
#define SCALENE_SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* A browser's head is about 1 KiB; more than this is none, or one full of a neighbour's cookies. */
#define REQUEST_BYTES_MAX 16384
/* Our longest target is a token, a name and an origin. */
#define REQUEST_TARGET_MAX 1024

/* Part of another text, which it borrows; not ended by a zero. */
struct slice {
    const char *at; /* NULL: not there at all, as opposed to empty */
    size_t n;
};

struct request {
    struct slice method, path, query; /* path begins with '/'; query is what follows a '?' */
    struct slice host, origin, fetch_site;
};

enum request_state {
    REQUEST_PARTIAL, /* so far nothing is wrong: read on */
    REQUEST_WHOLE,
    REQUEST_BAD, /* *status says how to refuse it */
};

/* Reads the first `n` bytes of a connection. The slices live as long as the bytes do. */
enum request_state request_parse(const char *bytes, size_t n, struct request *request,
                                 unsigned *status);

bool slice_is(struct slice slice, const char *text);
/* Letters are compared without their case; ASCII, as in names of headers and hosts. */
bool slice_is_nocase(struct slice slice, const char *text);

#endif
