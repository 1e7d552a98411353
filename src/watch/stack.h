/* SPDX-License-Identifier: Apache-2.0 */
/* The Python stack of a thread of another process, with code objects named by numbers. */
#ifndef SCALENE_WATCH_STACK_H
#define SCALENE_WATCH_STACK_H

#include "base/map.h"
#include "watch/queue.h"
#include "watch/remote.h"

#define STACK_FRAMES_MAX 128u

struct stack {
    uint32_t n;
    struct record_frame frames[STACK_FRAMES_MAX]; /* innermost first */
};

/* The code objects of a process that were described from outside. */
struct stack_codes {
    struct map ids; /* (address, digest) -> number from 1 */
};

/* Reads the stack of the thread `ident`. Empty: it runs no Python, or cannot be read. New code
 * objects go to the queue first. `pages`: what it took the last time, and now. */
void stack_read(struct stack *stack, struct remote *remote, struct remote_pages *pages,
                const struct py_layout *layout, uint64_t ident, struct stack_codes *codes,
                struct queue *queue, uint32_t process);
void stack_codes_fini(struct stack_codes *codes);

#endif
