/* SPDX-License-Identifier: Apache-2.0 */
/* Which allocations are sampled: bytes are counted down in every thread, and the one that makes the
 * count run out is taken. Gaps are drawn from an exponential distribution, so that every byte has
 * the same chance, whatever the rhythm of the program.
 *
 *     allocation of n bytes:   left -= n, and only if that borrows: countdown_over(...)
 *
 * A gap is counted down in pieces shorter than the mean and 64 KiB: a block as large as the mean
 * always gets to the slow path, where it is recorded exactly; and the totals that are added up
 * there are exact but for the piece that is running. */
#ifndef SCALENE_AGENT_COUNTDOWN_H
#define SCALENE_AGENT_COUNTDOWN_H

#include "wire/record.h"

#include <stdbool.h>
#include <stdint.h>

struct countdown {
    uint64_t left;  /* until the slow path must look */
    uint64_t piece; /* what `left` began with */
    uint64_t rest;  /* of the gap, after this piece */
    uint64_t mean;  /* of the distribution the gap was drawn from */
};

struct countdown_thread {
    struct countdown domains[MEMORY_DOMAINS];
    uint64_t random;
    uint64_t old_size; /* PyMem's realloc learns here what the libc's realloc saw below it */
    uint32_t tid;
    bool is_awake; /* false: this thread has not been here since memory is measured */
    bool is_busy;  /* the agent itself is at work: what it allocates or copies is not counted */
    bool wants_old_size;
    bool is_arena; /* Python maps an arena: its objects are counted, not the arena */
};
extern __thread struct countdown_thread countdown_thread;

/* Counts n bytes; true: the count ran out, and `left` has wrapped around. Context: hook */
static inline bool countdown_takes(enum memory_domain domain, uint64_t n)
{
    uint64_t *left = &countdown_thread.domains[domain].left;
    return __builtin_expect(__builtin_sub_overflow(*left, n, left), 0);
}

enum countdown_verdict { COUNTDOWN_NOT_SAMPLED, COUNTDOWN_SAMPLED, COUNTDOWN_EXACT };

/* The count of `domain` ran out by n bytes: decides, and begins the next piece. *mean is that of
 * the distribution the verdict rests on. Context: hook, not nested */
enum countdown_verdict countdown_over(enum memory_domain domain, uint64_t n, uint64_t *mean);
/* The count ran out by bytes that are not measured: begins the next piece. Context: hook */
void countdown_pass(enum memory_domain domain);
/* As if the n bytes had not been counted. */
void countdown_undo(enum memory_domain domain, uint64_t n);

/* Memory is measured from now on. Context: boot */
void countdown_start(uint64_t mean_floor);
bool countdown_is_on(void);
/* The child of a fork must not repeat its parent's numbers. */
void countdown_after_fork(void);

#endif
