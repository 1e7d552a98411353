/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of another process, a few pages of it at a time. */
#ifndef SCALENE_WATCH_REMOTE_H
#define SCALENE_WATCH_REMOTE_H

#include "frame/memory.h"

#include <sys/types.h>

#define REMOTE_PAGES 16

/* The pages that a reading needed. The next one of the same thread mostly needs the same, and gets
 * them by a single call. */
struct remote_pages {
    unsigned n;
    uint64_t addresses[REMOTE_PAGES];
};

/* Pages are kept from one remote_begin to the next: all that is read in between is of one moment,
 * if the thread it belongs to did not run. */
struct remote {
    pid_t pid;
    bool is_refused; /* the kernel does not let us: never asked again */
    unsigned n, next;
    uint64_t addresses[REMOTE_PAGES];
    bool is_used[REMOTE_PAGES];   /* since it was fetched */
    unsigned char (*pages)[4096]; /* owns; REMOTE_PAGES of them */
};

void remote_init(struct remote *remote, pid_t pid);
void remote_fini(struct remote *remote);
/* Finds out whether the memory can be read at all: something readable is at `address`. */
void remote_try(struct remote *remote, uint64_t address);
/* `expected`: what to fetch at once; NULL: nothing. */
void remote_begin(struct remote *remote, const struct remote_pages *expected);
/* The pages used since then, to be expected the next time. */
void remote_end(const struct remote *remote, struct remote_pages *used);
bool remote_read(struct remote *remote, uint64_t address, void *out, size_t n_bytes);
struct memory remote_memory(struct remote *remote);

#endif
