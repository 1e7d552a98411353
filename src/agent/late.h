/* SPDX-License-Identifier: Apache-2.0 */
/* Frees of sampled blocks that found the ring full wait here until it has room: a lost one would be
 * a leak that is none.
 *
 *     free:    late_write(...) and the ring has room, or late_add(...)
 *     malloc:  late_write(...), and only then a record
 *
 * A free is here before its block is given back, and no block is recorded while anything is here:
 * so the records still never have an address twice. */
#ifndef SCALENE_AGENT_LATE_H
#define SCALENE_AGENT_LATE_H

#include <stdbool.h>
#include <stdint.h>

#define LATE_MAX 4096u

struct late_free {
    uint64_t address, time_ns;
    uint32_t stack;
    uint16_t flags; /* enum free_flag */
};

/* False: there is no room here either. Context: signal | hook */
bool late_add(const struct late_free *free);
/* Hands those that wait to `write`, in their order, until it says no; true: none waits now.
 * Context: signal | hook */
bool late_write(bool (*write)(const struct late_free *free));
/* In a forked child none waits. Context: boot */
void late_wipe_on_fork(void);

#endif
