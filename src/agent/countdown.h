/* SPDX-License-Identifier: Apache-2.0 */
/* Which allocations are sampled: bytes are counted down in every thread, and the one that makes the
 * count run out is taken.
 *
 *     allocation of n bytes:   left -= n, and only if that borrows: countdown_over(...)
 *
 * The distance from one sampled byte to the next is drawn from [mean / 2, 3/2 mean), all of it
 * alike, and the first byte of a thread as if it came amid such a row: so every byte has the same
 * chance. Distances of an exponential distribution would do as well, but their number in a stretch
 * strays sqrt(12) times as far: the sum of a hundred megabytes is this much surer at the same cost.
 * No rhythm of the program can hide from it: where the program's period is the mean, or a part
 * of it, the samples forget from one to the next where in the period they were.
 *
 * A gap is counted down in pieces shorter than the mean and 1 MiB: a block as large as the mean
 * always gets to the slow path, where it is recorded exactly; the totals that are added up there
 * are exact but for the piece that is running; and a mean that has shrunk meanwhile is heard of.
 *
 * The distances go on while measuring is switched off; what they meet then is not taken. So whether
 * a byte is taken hangs on the state at that byte alone, in threads, too, that hear of a switch
 * only at the end of their piece. To let the count wait until measuring is on again, or to draw it
 * anew then, would favour the bytes behind a switch or pass over them.
 *
 * The mean follows what samples cost. The time each takes, by the clock, is a debt that the time
 * of the program pays off; the more debt, the larger the mean. So a sample of a deep stack, which
 * takes ten times as long, makes room for ten. The debt hangs on the past alone, never on the block
 * that is looked at. */
#ifndef SCALENE_AGENT_COUNTDOWN_H
#define SCALENE_AGENT_COUNTDOWN_H

#include "wire/record.h"

#include <stdbool.h>
#include <stdint.h>

struct countdown {
    uint64_t left;  /* until the slow path must look */
    uint64_t piece; /* what `left` began with */
    uint64_t rest;  /* of the gap, after this piece */
    uint64_t mean;  /* of the distances of which the gap is one */
};

struct countdown_thread {
    struct countdown domains[MEMORY_DOMAINS];
    uint64_t random;
    uint64_t sampled_ns; /* when countdown_over last said that a block is sampled */
    uint64_t cpu_ns;     /* the thread's CPU clock when it last paid off debt */
    uint64_t old_size;   /* PyMem's realloc learns here what the libc's realloc saw below it */
    uint32_t tid;
    uint32_t n_passes; /* pieces that ran out while measuring was switched off */
    bool is_awake;     /* false: this thread has not been here since memory is measured */
    bool is_busy;      /* the agent itself is at work: what it allocates or copies is not counted */
    bool wants_old_size;
    bool is_arena; /* Python maps an arena: its objects are counted, not the arena */
};
extern __thread struct countdown_thread countdown_thread;

/* Counts n bytes; true: the count ran out, and `left` has wrapped around. One instruction, so that
 * a signal handler that allocates comes before it or after it, and no byte is lost. Context: signal
 * | hook */
static inline bool countdown_takes(enum memory_domain domain, uint64_t n)
{
    bool is_over;
    __asm__("subq %2, %1"
            : "=@ccb"(is_over), "+m"(countdown_thread.domains[domain].left)
            : "er"(n));
    return __builtin_expect(is_over, 0);
}

/* As if the n bytes had not been counted. Context: signal | hook */
static inline void countdown_undo(enum memory_domain domain, uint64_t n)
{
    __asm__("addq %1, %0" : "+m"(countdown_thread.domains[domain].left) : "er"(n) : "cc");
}

enum countdown_verdict { COUNTDOWN_NOT_SAMPLED, COUNTDOWN_SAMPLED, COUNTDOWN_EXACT };

/* The count of `domain` ran out by n bytes: decides, and begins the next piece. *mean is that on
 * which the verdict rests. Context: hook, not nested */
enum countdown_verdict countdown_over(enum memory_domain domain, uint64_t n, uint64_t *mean);
/* A sample of a block has taken so long. Context: hook */
void countdown_owe(uint32_t spent_ns);
/* The same while measuring is switched off: nobody is told of the verdict, and the bytes are in no
 * total. Context: hook, not nested */
void countdown_pass(enum memory_domain domain, uint64_t n);
/* Measuring has been switched on by this thread: what it has counted of its pieces is forgotten.
 * Context: any thread, not in a hook */
void countdown_begin(void);
/* Nothing is measured now: lets the bytes run for a while before it looks again. Context: hook */
void countdown_sleep(enum memory_domain domain);
/* Adds this thread's running pieces to the totals: it ends, or the process does, or it switches
 * measuring off. Context: hook */
void countdown_publish(void);
/* How many times the least mean must be, so that there is room for what is sampled. */
void countdown_thin_out(uint32_t factor);

/* Memory is measured from now on, with at least so many bytes between two samples on average; if it
 * is fixed the mean is just that, but for a flood of samples that nobody could take up. Context:
 * boot */
void countdown_start(uint64_t mean_floor, bool is_fixed);
/* Memory is not measured any longer; it may be again. Context: boot */
void countdown_stop(void);
bool countdown_is_on(void);
/* The child of a fork must not repeat its parent's numbers. */
void countdown_after_fork(void);

#endif
