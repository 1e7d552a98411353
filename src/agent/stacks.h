/* SPDX-License-Identifier: Apache-2.0 */
/* Python stacks of allocations: sent to the ring once, named by a number afterwards. */
#ifndef SCALENE_AGENT_STACKS_H
#define SCALENE_AGENT_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of this thread's Python stack, or of the one it works for; 0: there is none. False:
 * the ring is full. Context: hook */
bool stacks_id(uint32_t *id);
/* That of a thread state whose thread does not run Python meanwhile. */
bool stacks_id_of(uint64_t state, uint32_t *id);
/* A forked child has sent none. Context: boot */
void stacks_wipe_on_fork(void);

#endif
