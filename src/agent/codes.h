/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects: sent to the ring once, named by a number afterwards. */
#ifndef SCALENE_AGENT_CODES_H
#define SCALENE_AGENT_CODES_H

#include <stdbool.h>
#include <stdint.h>

/* The number of the code object at `code`, which is sent first if it is new; 0 when there is no
 * place left to remember it. False: it had to be sent and the ring is full. Context: signal */
bool codes_id(uint64_t code, uint32_t *id);
/* It will be asked for soon: its memory is fetched meanwhile. Context: signal */
void codes_expect(uint64_t code);
/* A forked child has sent none. Context: boot */
void codes_wipe_on_fork(void);

#endif
