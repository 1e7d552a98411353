/* SPDX-License-Identifier: Apache-2.0 */
/* The modules as the dynamic linker lists them, for a process that has no /proc. */
#ifndef SCALENE_AGENT_LISTED_H
#define SCALENE_AGENT_LISTED_H

#include <stdint.h>

/* Makes the list. What is loaded later is not in it. Context: boot */
void listed_read(void);

/* The list in the form of /proc/self/maps; n is 0 as long as none was made. Context: signal | boot
 */
const char *listed_text(uint32_t *n);

#endif
