/* SPDX-License-Identifier: Apache-2.0 */
/* What scalene does after the program has ended, for those who sit at a terminal and wait. */
#ifndef SCALENE_CLI_PROGRESS_H
#define SCALENE_CLI_PROGRESS_H

/* From now on this is being done: said on a terminal if it takes longer than a second, with the
 * seconds, and wiped away when something else or nothing (NULL) follows. */
void progress_show(const char *what);

#endif
