/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an address in the user's browser. */
#ifndef SCALENE_CLI_BROWSER_H
#define SCALENE_CLI_BROWSER_H

#include <stdbool.h>

/* Starts the first browser there is, on its own: it outlives us and never has our terminal. False:
 * there is none with a window. */
bool browser_open(const char *address);

/* Whether a command of $BROWSER shows pages in the terminal. */
bool browser_is_text(const char *command);

#endif
