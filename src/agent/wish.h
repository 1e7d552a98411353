/* SPDX-License-Identifier: Apache-2.0 */
/* What the program wants done with a signal that is ours: written by the interposed sigaction, read
 * by handlers. */
#ifndef SCALENE_AGENT_WISH_H
#define SCALENE_AGENT_WISH_H

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#define WISH_VERSIONS 8u

struct wish {
    _Atomic uint32_t n_begun; /* versions that somebody writes or has written */
    _Atomic uint32_t latest;  /* the newest one that is whole */
    struct sigaction versions[WISH_VERSIONS];
};

/* Context: signal | any thread */
struct sigaction wish_read(const struct wish *wish);
void wish_write(struct wish *wish, const struct sigaction *action);

#endif
