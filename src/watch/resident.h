/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a process really occupies, asked of the kernel from time to time. */
#ifndef SCALENE_WATCH_RESIDENT_H
#define SCALENE_WATCH_RESIDENT_H

#include "watch/queue.h"

#include <sys/types.h>

/* When the kernel is asked again. Zero-initialise. */
struct resident {
    int64_t due_ns;
    int64_t shared_due_ns; /* for what processes share, too: of all of them at one moment, for a
                              page that one gives up is another's alone */
};

struct resident_look {
    bool is_due, has_shared;
    int64_t now_ns, begin_ns;
};

/* A look at all processes: begins, puts a RECORD_RESIDENT of each into the queue if it is time, and
 * ends. */
struct resident_look resident_begin(const struct resident *resident, int64_t now_ns);
void resident_see(const struct resident_look *look, struct queue *queue, uint32_t process,
                  pid_t pid);
void resident_end(struct resident *resident, const struct resident_look *look);

#endif
