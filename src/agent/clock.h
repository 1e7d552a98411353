/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks. */
#ifndef SCALENE_AGENT_CLOCK_H
#define SCALENE_AGENT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Context: signal | hook | any thread | boot */
static inline uint64_t clock_read_ns(clockid_t id)
{
    struct timespec t = {0};
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_now_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* The CPU clock of a thread of this process, by the kernel's numbering of such clocks. */
static inline clockid_t clock_of_thread(uint32_t tid)
{
    return (clockid_t)(~tid << 3 | 6);
}

#endif
