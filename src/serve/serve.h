/* SPDX-License-Identifier: Apache-2.0 */
/* The server of the page: loopback only, one user, and gone when nobody looks any more. */
#ifndef SCALENE_SERVE_SERVE_H
#define SCALENE_SERVE_SERVE_H

#include "base/err.h"
#include "serve/site.h"

#include <stdint.h>

/* The first port that is tried; upstream's. */
#define SERVE_PORT 11235

struct server; /* owns its sockets */

/* Makes the token and takes the first free port; both are then in `site`, which is borrowed. */
struct server *serve_open(struct site *site, struct err *e);
/* "http://127.0.0.1:PORT/TOKEN/"; a query tells the page of a second profile and of keys, so that
 * it need not ask for what is not there. */
void serve_address(const struct site *site, char address[96]);
/* Serves until the last page has been closed for `linger_ms`, or none was opened for
 * `patience_ms`, or `stop` can be read from. */
bool serve_run(struct server *server, int stop, int64_t linger_ms, int64_t patience_ms,
               struct err *e);
void serve_close(struct server *server);

#endif
