/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring switched off and on while the program runs: from outside, for the whole tree, through
 * the control block, or by the program itself, for its own process.
 *
 * A thread's CPU clock, as it is sent, stands still while measuring is off. So at each switch the
 * clocks of all threads are read: exactly if the program itself switches. A switch from outside is
 * noticed by the first thread that ticks or allocates after it; how far the clocks were at the
 * moment of the switch is then found between the thread's latest tick and now, in proportion: exact
 * for a thread that ran all the time, and within a tick for one that did not. */
#ifndef SCALENE_AGENT_CONTROL_H
#define SCALENE_AGENT_CONTROL_H

#include "agent/agent.h"

/* What is known of a thread's CPU clock. Writers: whoever holds the switch (all fields); the thread
 * itself at its ticks (the last two). */
struct thread_clock {
    _Atomic uint64_t away_ns;     /* used while measuring was off, up to the latest switch */
    uint64_t off_ns;              /* its clock when measuring was last switched off */
    _Atomic uint64_t tick_ns;     /* CLOCK_MONOTONIC at its latest tick */
    _Atomic uint64_t tick_cpu_ns; /* its clock then */
};

/* The thread begins with its clock at cpu_ns. Context: signal | any thread */
void control_begin_thread(struct thread_clock *clock, uint64_t now_ns, uint64_t cpu_ns);

/* What its clock shows without the time that measuring was off. Context: any thread */
uint64_t control_measured_ns(const struct thread_clock *clock, uint64_t cpu_ns);

/* A new process begins as the control block says. Context: boot */
void control_start(void);
/* The child of a fork goes on as its parent was. Context: the child */
void control_after_fork(void);

/* Takes over what was switched from outside: the slow path of control_is_off. */
void control_take_over(uint32_t n_switches);
extern uint32_t control_n_taken; /* switches from outside that were taken over */

/* Whether measuring is switched off now. Context: signal | hook */
static inline bool control_is_off(void)
{
    /* Pairs with the collector's release store: what it says of the switch is there. */
    uint32_t n = atomic_load_explicit(&agent.control->n_switches, memory_order_acquire);
    if (__builtin_expect(n != control_n_taken, 0))
        control_take_over(n);
    return atomic_load_explicit(&agent.is_off, memory_order_relaxed);
}

#endif
