/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel tells about a thread that is not ours: its times, and what it is blocked in. */
#ifndef SCALENE_WATCH_PROC_H
#define SCALENE_WATCH_PROC_H

#include "wire/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_thread {
    int schedstat, syscall; /* owns; kept open, -1: not allowed or gone */
};

/* Times in ns since the thread began. */
struct proc_times {
    uint64_t cpu_ns, delay_ns; /* ran; could have run but had no CPU */
    uint64_t n_turns;          /* times it got a CPU: equal at two looks means it did not run */
};

void proc_open(struct proc_thread *thread, pid_t pid, uint32_t tid);
void proc_close(struct proc_thread *thread);
/* False: the thread is gone. */
bool proc_times(const struct proc_thread *thread, struct proc_times *out);

/* Whether the kernel tells us what the threads of a process do: false only if it lives and is
 * hidden.
 */
bool proc_can_be_seen(pid_t pid);

/* Whether a signal gets to the thread at once: it neither blocks it nor is traced by a debugger,
 * who would take it for his own. */
bool proc_takes(pid_t pid, uint32_t tid, int signal);

struct proc_block {
    bool is_running; /* runs, or could run */
    enum wait_kind kind;
    uint64_t futex; /* WAIT_LOCK: the address it waits on */
};
/* False: not to be known. */
bool proc_block(const struct proc_thread *thread, struct proc_block *out);

#endif
