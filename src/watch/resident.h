/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a process really occupies, asked of the kernel from time to time. */
#ifndef SCALENE_WATCH_RESIDENT_H
#define SCALENE_WATCH_RESIDENT_H

#include "watch/queue.h"

#include <sys/types.h>

/* Zero-initialise. */
struct resident {
    int64_t due_ns;
    int64_t shared_due_ns; /* when what it shares with others is asked for again */
};

/* Puts a RECORD_RESIDENT into the queue when it is time. */
void resident_look(struct resident *resident, struct queue *queue, uint32_t process, pid_t pid,
                   int64_t now_ns);

#endif
