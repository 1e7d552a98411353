/* SPDX-License-Identifier: Apache-2.0 */
/* Speaking to the collector of a run that is going on: finding it by a process of its program, and
 * asking it for something through the control block. */
#ifndef SCALENE_COLLECT_RUNS_H
#define SCALENE_COLLECT_RUNS_H

#include "base/err.h"
#include "wire/ring.h"

#include <sys/types.h>

struct run {
    pid_t collector;
    int folder_fd;
    struct control *control; /* owns the mapping */
};

/* The run that a process belongs to: the collector's own number, or that of any Python it measures.
 * `pid` 0: the only run there is. */
bool run_open(struct run *run, pid_t pid, struct err *e);
void run_close(struct run *run);

/* Asks, and waits for the answer: true when it was done; `answer` (of sizeof control->answer bytes)
 * then has the collector's words, which may be none. */
bool run_ask(struct run *run, enum control_request request, char *answer, struct err *e);

#endif
