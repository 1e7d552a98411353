/* SPDX-License-Identifier: Apache-2.0 */
/* Python's own allocators: its object and memory domains, and the arenas below them. */
#ifndef SCALENE_AGENT_PYMEM_H
#define SCALENE_AGENT_PYMEM_H

#include <stdbool.h>
#include <stdint.h>

/* Puts our functions in front of Python's and begins to measure memory. `mean_floor` and `is_fixed`
 * are countdown_start's. Context: boot, holding the GIL */
void pymem_start(uint64_t mean_floor, bool is_fixed);

#endif
