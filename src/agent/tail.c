/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization: the clocks of the ended are their own until n_done counts them. Who adds up all
 * clocks holds is_adding, and believes the sum only if nobody was between tail_begin and tail_end
 * meanwhile: he would be counted twice or not at all. */
#include "agent/tail.h"

#include "agent/clock.h"
#include "agent/control.h"
#include "agent/threads.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "agent/safe.h"

/* The clocks of all threads are added up when so many have ended, then twice as many, ..., and at
 * last after every MOST_ENDS: that takes 100 us, and more where there are many threads. */
#define FIRST_ENDS 8u
#define MOST_ENDS  256u
/* More than the end of a thread ever takes: it was used by threads we do not know. */
#define MOST_NS 200000

static struct {
    _Atomic uint32_t n_begun, n_done;
    _Atomic uint64_t ended_ns;             /* the last clocks of all that have ended */
    _Atomic uint64_t guess_ns, guessed_ns; /* for one that ends now; for all so far */
    _Atomic uint32_t next;                 /* when so many have ended it is time to add up */
    _Atomic bool is_adding;
    int64_t base_ns;   /* used by threads that had ended before us, or are not known to us */
    uint32_t n_before; /* those who had ended at the last sum, and what they had used */
    int64_t before_ns;
} tail;

uint64_t tail_take_ns(void)
{
    uint64_t guess_ns = atomic_load_explicit(&tail.guess_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&tail.guessed_ns, guess_ns, memory_order_relaxed);
    return guess_ns;
}

static void add_clock(void *sum_ns, uint32_t tid, struct thread_clock *clock)
{
    uint64_t cpu_ns = clock_read_ns(clock_of_thread(tid));
    if (!cpu_ns) /* it is gone without a word */
        cpu_ns = atomic_load_explicit(&clock->tick_cpu_ns, memory_order_relaxed);
    *(uint64_t *)sum_ns += cpu_ns;
}

/* What the process has used beyond the clocks of the threads there are. They run on while theirs
 * are read: the process's is taken in the middle. */
static int64_t beyond_ns(void)
{
    uint64_t sum_ns = 0, before_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    threads_each(add_clock, &sum_ns);
    uint64_t after_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    return (int64_t)(before_ns / 2 + after_ns / 2 - sum_ns);
}

void tail_after_fork(void)
{
    uint64_t guess_ns = atomic_load_explicit(&tail.guess_ns, memory_order_relaxed);
    memset(&tail, 0, sizeof tail);
    atomic_store_explicit(&tail.guess_ns, guess_ns, memory_order_relaxed);
    atomic_store_explicit(&tail.next, FIRST_ENDS, memory_order_relaxed);
}

void tail_start(void)
{
    tail_after_fork();
    tail.base_ns = beyond_ns();
}

void tail_begin(void)
{
    /* Sequentially consistent, here and in add_up: either it is seen there, or it sees what was
     * added up before it began. */
    atomic_fetch_add_explicit(&tail.n_begun, 1, memory_order_seq_cst);
}

/* The next ones will use what the latest did; and what was guessed wrong so far they make good. */
static void guess(uint32_t n, int64_t used_ns)
{
    uint32_t n_next = n < MOST_ENDS ? n : MOST_ENDS;
    int64_t latest_ns = (used_ns - tail.before_ns) / (n - tail.n_before);
    int64_t guessed_ns = (int64_t)atomic_load_explicit(&tail.guessed_ns, memory_order_relaxed);
    if (latest_ns >= 0 && latest_ns <= MOST_NS) {
        int64_t guess_ns = latest_ns + (used_ns - guessed_ns) / n_next;
        guess_ns = guess_ns < 0 ? 0 : guess_ns > MOST_NS ? MOST_NS : guess_ns;
        atomic_store_explicit(&tail.guess_ns, (uint64_t)guess_ns, memory_order_relaxed);
    } else { /* not the ends of threads: it is left out from now on */
        tail.base_ns += used_ns - guessed_ns;
        used_ns = guessed_ns;
    }
    atomic_store_explicit(&tail.next, n + n_next, memory_order_relaxed);
    tail.n_before = n;
    tail.before_ns = used_ns;
}

static void add_up(void)
{
    uint32_t n = atomic_load_explicit(&tail.n_done, memory_order_seq_cst);
    if (n <= tail.n_before || atomic_load_explicit(&tail.n_begun, memory_order_seq_cst) != n)
        return;
    uint64_t ended_ns = atomic_load_explicit(&tail.ended_ns, memory_order_relaxed);
    int64_t used_ns = beyond_ns() - (int64_t)ended_ns - tail.base_ns;
    if (atomic_load_explicit(&tail.n_begun, memory_order_seq_cst) == n)
        guess(n, used_ns);
}

void tail_end(uint64_t cpu_ns)
{
    atomic_fetch_add_explicit(&tail.ended_ns, cpu_ns, memory_order_relaxed);
    uint32_t n = 1 + atomic_fetch_add_explicit(&tail.n_done, 1, memory_order_seq_cst);
    if (n < atomic_load_explicit(&tail.next, memory_order_relaxed) ||
        atomic_exchange_explicit(&tail.is_adding, true, memory_order_acquire))
        return;
    add_up();
    atomic_store_explicit(&tail.is_adding, false, memory_order_release);
}
