/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that a forked child finds empty: the kernel hands it fresh pages in place of its parent's.
 * So nobody clears them, they are not copied when either side writes to them, and whatever another
 * thread was doing with them at the moment of the fork is undone. */
#ifndef SCALENE_AGENT_WIPE_H
#define SCALENE_AGENT_WIPE_H

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WIPE_PAGE_BYTES 4096u
/* For the type of such a table: it shares no page with anything else. */
#define WIPE_ALIGNED __attribute__((aligned(WIPE_PAGE_BYTES)))

/* The table is empty in children from now on. A kernel before 4.14 refuses; then a child inherits
 * it, and tells what is of its parent by agent.generation. Context: boot */
static inline void wipe_on_fork(void *table, size_t n_bytes)
{
    const int wipe = 18; /* MADV_WIPEONFORK, which older headers lack */
    syscall(SYS_madvise, table, n_bytes, wipe);
}

#endif
