/* SPDX-License-Identifier: Apache-2.0 */
/* Processes in a namespace of their own, as sandboxes make them: the numbers they know themselves
 * and their threads by are not those by which they are seen from here. */
#ifndef SCALENE_WATCH_NAMESPACE_H
#define SCALENE_WATCH_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a process lives: a number; 0: not to be known. */
uint64_t namespace_of(pid_t pid);
/* Whether it is surely not where we live. */
bool namespace_is_foreign(pid_t pid);

/* The number by which we see the process that is `pid` to itself; 0: we do not. */
pid_t namespace_process(uint64_t namespace, uint32_t pid);
/* The same for a thread of a process seen from here. `guess` is tried first. */
uint32_t namespace_thread(pid_t process, uint32_t tid, uint32_t guess);

#endif
