/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/thread.h"

#include "analyze/judge.h"
#include "analyze/places.h"

uint64_t thread_advance(struct thread *thread, uint64_t cpu_ns)
{
    if (cpu_ns <= thread->cpu_ns)
        return 0;
    uint64_t delta = cpu_ns - thread->cpu_ns;
    thread->cpu_ns = cpu_ns;
    return delta;
}

void thread_tick(struct thread *thread, uint64_t cpu_ns, bool is_system)
{
    uint64_t before = thread->tick_cpu_ns ? thread->tick_cpu_ns : thread->start_cpu_ns;
    double delta = cpu_ns > before ? (double)(cpu_ns - before) : 0;
    thread->tick_ns += delta;
    thread->tick_system_ns += is_system ? delta : 0;
    thread->tick_cpu_ns = cpu_ns;
}

/* Time by mode: [1] the kernel's. */
static void charged_ns(const struct ledger *ledger, double sums[2])
{
    sums[0] = sums[1] = 0;
    for (size_t i = 0; i < ledger->n; i++)
        sums[ledger->items[i].account.verdict == VERDICT_SYSTEM] += ledger->items[i].time_ns;
}

/* What each nanosecond in the thread's ledger is worth, by mode, so that modes have the parts that
 * ticks give them and all adds up to the clock. */
static void find_scales(const struct thread *thread, double clock_ns, double scales[2])
{
    double sums[2];
    charged_ns(&thread->ledger, sums);
    bool has_both = sums[0] > 0 && sums[1] > 0 && thread->tick_ns > 0;
    double system = has_both ? thread->tick_system_ns / thread->tick_ns : 0;
    if (has_both && system > 0 && system < 1) {
        scales[0] = (1 - system) * clock_ns / sums[0];
        scales[1] = system * clock_ns / sums[1];
    } else {
        double sum = sums[0] + sums[1];
        scales[0] = scales[1] = sum > 0 ? clock_ns / sum : 0;
    }
}

double thread_settle(const struct thread *thread, struct ledger *into)
{
    double clock_ns = (double)(thread->cpu_ns - thread->start_cpu_ns), outside_ns = 0, scales[2];
    if (thread->n_samples == 0)
        return clock_ns;
    find_scales(thread, clock_ns, scales);
    for (size_t i = 0; i < thread->ledger.n; i++) {
        const struct entry *entry = &thread->ledger.items[i];
        double scale = scales[entry->account.verdict == VERDICT_SYSTEM];
        /* Samples that all came at the clock's first reading have no weight of their own. */
        double time_ns = scale > 0 ? entry->time_ns * scale
                                   : clock_ns * (double)entry->n_seen / (double)thread->n_samples;
        if (entry->account.frame == PLACES_NO_FRAME)
            outside_ns += time_ns;
        else
            ledger_add_part(into, thread->part, entry, time_ns);
    }
    return outside_ns;
}

void thread_saw(struct thread *thread, uint64_t time_ns, uint32_t frame, uint32_t stack)
{
    thread->last_frame = frame;
    thread->last_stack = stack;
    thread->seen[thread->n_seen++ % THREAD_SEEN] = (struct thread_seen){time_ns, frame};
}

/* Before that moment is better than after it, and near is better than far. */
static bool is_better(uint64_t time_ns, uint64_t best_ns, uint64_t at_ns)
{
    if ((time_ns <= at_ns) != (best_ns <= at_ns))
        return time_ns <= at_ns;
    return time_ns <= at_ns ? time_ns >= best_ns : time_ns < best_ns;
}

uint32_t thread_frame_at(const struct thread *thread, uint64_t time_ns)
{
    const struct thread_seen *best = &thread->seen[0];
    for (uint64_t i = 1; i < THREAD_SEEN && i < thread->n_seen; i++)
        if (is_better(thread->seen[i].time_ns, best->time_ns, time_ns))
            best = &thread->seen[i];
    return thread->n_seen ? best->frame : PLACES_NO_FRAME;
}
