/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/thread.h"

#include "analyze/places.h"

uint64_t thread_advance(struct thread *thread, uint64_t cpu_ns)
{
    if (cpu_ns <= thread->cpu_ns)
        return 0;
    uint64_t delta = cpu_ns - thread->cpu_ns;
    thread->cpu_ns = cpu_ns;
    return delta;
}

static double charged_ns(const struct ledger *ledger)
{
    double sum = 0;
    for (size_t i = 0; i < ledger->n; i++)
        sum += ledger->items[i].cpu_ns;
    return sum;
}

double thread_settle(const struct thread *thread, struct ledger *into)
{
    double clock_ns = (double)(thread->cpu_ns - thread->start_cpu_ns);
    double sum_ns = charged_ns(&thread->ledger), outside_ns = 0;
    if (thread->n_samples == 0)
        return clock_ns;
    for (size_t i = 0; i < thread->ledger.n; i++) {
        const struct entry *entry = &thread->ledger.items[i];
        /* Samples that all came at the clock's first reading have no weight of their own. */
        double share = sum_ns > 0 ? entry->cpu_ns / sum_ns
                                  : (double)entry->n_samples / (double)thread->n_samples;
        if (entry->account.frame == PLACES_NO_FRAME)
            outside_ns += share * clock_ns;
        else
            ledger_add(into, &entry->account, share * clock_ns, entry->n_samples);
    }
    return outside_ns;
}
