/* SPDX-License-Identifier: Apache-2.0 */
/* What the server has, and who may have it: a request in, an answer out. Pure.
 *
 * Everything lies under a path with a random token, which only the user's browser is told:
 *
 *     /TOKEN/               the page
 *     /TOKEN/profile.json   the profile, as the file is now
 *     /TOKEN/compare.json   a second one to compare it with
 *     /TOKEN/keys.json      keys for AI providers from the environment, if the user wants that
 *     /TOKEN/courier.js?to= the worker that carries requests to the one provider that is named
 *     /TOKEN/events         open as long as a page is: how the server knows when it is not needed
 */
#ifndef SCALENE_SERVE_SITE_H
#define SCALENE_SERVE_SITE_H

#include "serve/request.h"

/* 128 bits in hexadecimal digits, and the zero. */
#define SITE_TOKEN_SIZE 33
#define SITE_POLICY_MAX 2048

struct site {
    char token[SITE_TOKEN_SIZE];
    unsigned port;
    struct slice page, courier;    /* as built */
    const char *profile, *compare; /* paths of files; NULL: none */
    const char *keys;              /* JSON; NULL: the user did not ask for it */
};

/* Whether the process at the other end belongs to the user; loopback is open to all of them. */
enum peer { PEER_UNKNOWN, PEER_OWN, PEER_FOREIGN };

enum answer_body {
    ANSWER_BYTES,
    ANSWER_FILE,  /* is opened when it is sent; what cannot be opened is a 404 */
    ANSWER_EVENTS /* stays open until the page closes it */
};

struct answer {
    unsigned status;
    enum answer_body kind;
    const char *type;
    struct slice bytes;           /* ANSWER_BYTES; borrowed from the site, or constant */
    const char *path;             /* ANSWER_FILE; borrowed from the site */
    bool has_body;                /* false for HEAD: the same head, and nothing after it */
    char policy[SITE_POLICY_MAX]; /* Content-Security-Policy */
};

void site_answer(const struct site *site, const struct request *request, enum peer peer,
                 struct answer *answer);
/* The answer to what is not a request at all, or one that cannot be served. */
void site_refuse(unsigned status, struct answer *answer);
/* "Not Found" for 404. */
const char *site_reason(unsigned status);

#endif
