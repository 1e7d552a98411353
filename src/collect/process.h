/* SPDX-License-Identifier: Apache-2.0 */
/* What can be known of another process from outside: whether it lives, is stopped, and its CPU
 * time. */
#ifndef SCALENE_COLLECT_PROCESS_H
#define SCALENE_COLLECT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that is watched; safe against another one that gets the same pid later. */
struct process {
    pid_t pid;
    int fd;               /* pidfd, owned; -1: none could be had, then start_ticks tells */
    uint64_t start_ticks; /* when it started, from /proc; 0: it was gone already */
};

void process_open(struct process *process, pid_t pid);
void process_close(struct process *process);
/* Whether all its threads have ended; a zombie is gone. */
bool process_is_gone(const struct process *process);

bool process_is_stopped(pid_t pid);
/* CPU time of all its threads, ended ones included, its children not; 0 when it is not known any
 * more. A zombie's is known until its parent has waited for it. */
uint64_t process_cpu_ns(pid_t pid);

#endif
