/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: a request is read, its answer is written, and that is all of it. */
#ifndef SCALENE_SERVE_CONNECTION_H
#define SCALENE_SERVE_CONNECTION_H

#include "serve/site.h"

#include <stdint.h>
#include <sys/types.h>

enum connection_state {
    CONNECTION_CLOSED, /* free for another */
    CONNECTION_READS,  /* the head of the request */
    CONNECTION_WRITES, /* the answer */
    CONNECTION_EVENTS, /* a page is open at the other end */
    CONNECTION_DRAINS, /* all is said; what still comes is thrown away until the other end closes */
};

struct connection {
    enum connection_state state;
    int fd;
    int64_t deadline_ms; /* when patience ends; an open page has none */
    size_t n_in;
    char in[REQUEST_BYTES_MAX];
    size_t n_head, n_head_sent;
    char head[SITE_POLICY_MAX + 1024];
    struct answer answer;
    int file; /* of ANSWER_FILE; -1: none */
    uint64_t n_body, n_body_sent;
};

void connection_open(struct connection *c, int fd, int64_t now_ms);
/* Goes as far as it gets without waiting. */
void connection_step(struct connection *c, const struct site *site, int64_t now_ms);
void connection_close(struct connection *c);
/* What to poll for. */
short connection_events(const struct connection *c);

#endif
