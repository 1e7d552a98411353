/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of another process, a few pages of it at a time. */
#ifndef SCALENE_WATCH_REMOTE_H
#define SCALENE_WATCH_REMOTE_H

#include "frame/memory.h"

#include <sys/types.h>

#define REMOTE_PAGES 16

/* Pages are kept from one remote_begin to the next: all that is read in between is of one moment,
 * if the thread it belongs to did not run. */
struct remote {
    pid_t pid;
    bool is_refused; /* the kernel does not let us: never asked again */
    unsigned n, next;
    uint64_t addresses[REMOTE_PAGES];
    unsigned char (*pages)[4096]; /* owns; REMOTE_PAGES of them */
};

void remote_init(struct remote *remote, pid_t pid);
void remote_fini(struct remote *remote);
/* Finds out whether the memory can be read at all: something readable is at `address`. */
void remote_try(struct remote *remote, uint64_t address);
void remote_begin(struct remote *remote);
bool remote_read(struct remote *remote, uint64_t address, void *out, size_t n_bytes);
struct memory remote_memory(struct remote *remote);

#endif
