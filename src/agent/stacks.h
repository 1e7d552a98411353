/* SPDX-License-Identifier: Apache-2.0 */
/* Python stacks of allocations: sent to the ring once, named by a number afterwards. */
#ifndef SCALENE_AGENT_STACKS_H
#define SCALENE_AGENT_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of this thread's Python stack; 0: it has none. False: the ring is full.
 * Context: hook */
bool stacks_id(uint32_t *id);
/* A forked child has sent none. Context: boot */
void stacks_wipe_on_fork(void);

#endif
