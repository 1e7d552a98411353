/* SPDX-License-Identifier: Apache-2.0 */
/* Puts our functions in front of the libc's in a process that is running already, where LD_PRELOAD
 * comes too late: by writing their addresses into the tables through which modules call each other.
 */
#ifndef SCALENE_AGENT_GOT_H
#define SCALENE_AGENT_GOT_H

#include <stdbool.h>

/* Patches every module there is; those that are loaded later are patched when the program first
 * looks up a function in one. What is patched stays so. `has_memory`:
 * allocations and copies, too. Context: boot */
bool got_start(bool has_memory);
/* C++'s operators new and delete, if another allocator brings its own. Context: boot */
void got_start_operators(void);

#endif
