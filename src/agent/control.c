/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of this process and the clocks that stand still while it is off.
 *
 * Synchronization: `is_switching` is held by the one who switches; a handler that finds it held
 * goes on with the state there is. A tick that runs beside a switch may send a clock a little ahead
 * of the one the switch has read: the analysis lets a clock that goes back stand still. */
#include "agent/control.h"

#include "agent/clock.h"
#include "agent/countdown.h"
#include "agent/process.h"
#include "agent/threads.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "agent/safe.h"

/* So many threads' clocks fit into one record of a switch; the others are interpolated outside. */
#define CLOCKS_MAX 4096u
#define PATIENCE   100000 /* turns to wait for another switch to be over */

uint32_t control_n_taken;
static _Atomic bool is_switching;
static struct record_clock clocks[CLOCKS_MAX]; /* owned by who holds is_switching */

void control_begin_thread(struct thread_clock *clock, uint64_t now_ns, uint64_t cpu_ns)
{
    atomic_store_explicit(&clock->away_ns, 0, memory_order_relaxed);
    clock->off_ns = cpu_ns;
    atomic_store_explicit(&clock->tick_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&clock->tick_cpu_ns, cpu_ns, memory_order_relaxed);
}

uint64_t control_measured_ns(const struct thread_clock *clock, uint64_t cpu_ns)
{
    bool is_off = atomic_load_explicit(&agent.is_off, memory_order_relaxed);
    uint64_t at_ns = is_off && clock->off_ns < cpu_ns ? clock->off_ns : cpu_ns;
    uint64_t away_ns = atomic_load_explicit(&clock->away_ns, memory_order_relaxed);
    return at_ns > away_ns ? at_ns - away_ns : 0;
}

/* One switch of all threads. */
struct turn {
    bool is_off;
    uint64_t then_ns, now_ns; /* the moment of the switch; the moment it is carried out */
    uint32_t n_clocks;
};

/* The thread's clock at the moment of the switch. */
static uint64_t clock_then(const struct thread_clock *clock, const struct turn *turn,
                           uint64_t cpu_ns)
{
    uint64_t tick_ns = atomic_load_explicit(&clock->tick_ns, memory_order_relaxed);
    uint64_t tick_cpu_ns = atomic_load_explicit(&clock->tick_cpu_ns, memory_order_relaxed);
    if (turn->then_ns >= turn->now_ns || cpu_ns <= tick_cpu_ns || tick_ns >= turn->now_ns)
        return cpu_ns;
    if (turn->then_ns <= tick_ns)
        return tick_cpu_ns;
    double share = (double)(turn->then_ns - tick_ns) / (double)(turn->now_ns - tick_ns);
    return tick_cpu_ns + (uint64_t)(share * (double)(cpu_ns - tick_cpu_ns));
}

static void switch_thread(void *context, uint32_t tid, struct thread_clock *clock)
{
    struct turn *turn = context;
    uint64_t cpu_ns = clock_read_ns(clock_of_thread(tid));
    if (!cpu_ns)
        return; /* it has just ended */
    cpu_ns = clock_then(clock, turn, cpu_ns);
    if (turn->is_off)
        clock->off_ns = cpu_ns;
    else if (cpu_ns > clock->off_ns)
        atomic_fetch_add_explicit(&clock->away_ns, cpu_ns - clock->off_ns, memory_order_relaxed);
    atomic_store_explicit(&clock->tick_ns, turn->then_ns, memory_order_relaxed);
    atomic_store_explicit(&clock->tick_cpu_ns, cpu_ns, memory_order_relaxed);
    if (turn->n_clocks < CLOCKS_MAX)
        clocks[turn->n_clocks++] = (struct record_clock){.cpu_ns = cpu_ns, .tid = tid};
}

/* Samples end before the clocks are read, and begin after. */
static void carry_out(struct turn *turn)
{
    if (turn->is_off)
        atomic_store_explicit(&agent.is_off, 1, memory_order_relaxed);
    threads_each(switch_thread, turn);
    if (!turn->is_off)
        atomic_store_explicit(&agent.is_off, 0, memory_order_relaxed);
}

void control_take_over(uint32_t n_switches)
{
    struct control *control = agent.control;
    bool is_off = atomic_load_explicit(&control->is_off, memory_order_relaxed);
    if (atomic_exchange_explicit(&is_switching, true, memory_order_acquire))
        return;
    if (is_off != atomic_load_explicit(&agent.is_off, memory_order_relaxed)) {
        struct turn turn = {.is_off = is_off,
                            .then_ns =
                                atomic_load_explicit(&control->switch_ns, memory_order_relaxed),
                            .now_ns = clock_now_ns()};
        carry_out(&turn);
    }
    control_n_taken = n_switches;
    atomic_store_explicit(&is_switching, false, memory_order_release);
}

static void send_switch(const struct turn *turn)
{
    uint32_t clocks_bytes = turn->n_clocks * (uint32_t)sizeof *clocks;
    uint32_t size = (uint32_t)sizeof(struct record_switch) + clocks_bytes;
    struct record_switch *record = process_ring_ready() ? ring_reserve(&agent.ring, size) : NULL;
    if (!record) {
        agent_count(COUNTER_DROPPED_RING_FULL, 1);
        return;
    }
    record->time_ns = turn->then_ns;
    record->is_off = turn->is_off;
    record->n_clocks = turn->n_clocks;
    memcpy(record + 1, clocks, clocks_bytes);
    ring_finish(record, RECORD_SWITCH, 0, size);
}

/* Switches with the lock held. */
static void switch_here(bool is_off)
{
    struct turn turn = {.is_off = is_off, .now_ns = clock_now_ns()};
    turn.then_ns = turn.now_ns;
    carry_out(&turn);
    send_switch(&turn);
    if (atomic_load_explicit(&agent.control->first_pid, memory_order_relaxed) == agent.pid)
        atomic_store_explicit(&agent.control->begins_off, is_off, memory_order_relaxed);
}

/* For the program itself: switches its process. The state before: 1 on, 0 off; -1: this process is
 * not measured. Context: any thread */
AGENT_EXPORT int scalene_switch(int is_on);
AGENT_EXPORT int scalene_switch(int is_on)
{
    if (!agent.control || !atomic_load_explicit(&agent.is_on, memory_order_acquire))
        return -1;
    int saved = errno;
    control_is_off(); /* what was switched from outside comes first */
    for (int i = 0; atomic_exchange_explicit(&is_switching, true, memory_order_acquire); i++) {
        if (i == PATIENCE) {
            errno = saved;
            return -1;
        }
        sched_yield(); /* who holds it may have lost his CPU */
    }
    bool was_off = atomic_load_explicit(&agent.is_off, memory_order_relaxed);
    if (!was_off && !is_on)
        countdown_publish();
    if (was_off == (is_on != 0))
        switch_here(!is_on);
    if (was_off && is_on)
        countdown_begin();
    atomic_store_explicit(&is_switching, false, memory_order_release);
    errno = saved;
    return !was_off;
}

/* 1 on, 0 off, -1: this process is not measured. Context: any thread */
AGENT_EXPORT int scalene_is_on(void);
AGENT_EXPORT int scalene_is_on(void)
{
    if (!agent.control || !atomic_load_explicit(&agent.is_on, memory_order_acquire))
        return -1;
    return !control_is_off();
}

void control_start(void)
{
    struct control *control = agent.control;
    uint32_t nobody = 0;
    atomic_compare_exchange_strong_explicit(&control->first_pid, &nobody, agent.pid,
                                            memory_order_relaxed, memory_order_relaxed);
    control_n_taken = atomic_load_explicit(&control->n_switches, memory_order_acquire);
    atomic_store_explicit(&agent.is_off,
                          atomic_load_explicit(&control->begins_off, memory_order_relaxed),
                          memory_order_relaxed);
}

void control_after_fork(void)
{
    atomic_store_explicit(&is_switching, false, memory_order_relaxed);
}
