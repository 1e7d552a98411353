/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/history.h"

#include "analyze/state.h"

#define FIRST_SLICE_NS 10000000u /* about as far as samples are apart */
#define COUNTED_EVERY  16384u    /* samples: counting accounts takes a moment */
#define ACCOUNTS_MAX   400000u   /* some 50 MB */

static size_t count_accounts(const struct profile *profile)
{
    size_t n = profile->ledger.n + profile->idle.n;
    for (size_t p = 0; p < profile->processes.n; p++) {
        const struct process *process = profile->processes.items[p];
        for (size_t i = 0; i < process->pools.n; i++)
            n += process->pools.items[i].ledger.n;
        for (size_t i = 0; i < process->threads.n; i++)
            n += process->threads.items[i].ledger.n;
    }
    return n;
}

static void halve(struct profile *profile)
{
    profile->history.slice_ns *= 2;
    ledger_halve_slices(&profile->ledger);
    ledger_halve_slices(&profile->idle);
    for (size_t p = 0; p < profile->processes.n; p++) {
        struct process *process = profile->processes.items[p];
        pools_halve_slices(&process->pools);
        for (size_t i = 0; i < process->threads.n; i++)
            ledger_halve_slices(&process->threads.items[i].ledger);
    }
}

/* A long run of a program with many stacks: it is seen less sharp. */
static void limit_accounts(struct profile *profile)
{
    struct history *history = &profile->history;
    if (++history->n_added < COUNTED_EVERY)
        return;
    history->n_added = 0;
    if (history->slices_max > 1 && count_accounts(profile) > ACCOUNTS_MAX) {
        history->slices_max /= 2;
        halve(profile);
    }
}

static void begin(struct profile *profile, uint64_t time_ns)
{
    struct history *history = &profile->history;
    uint64_t start_ns = profile->processes.n ? profile->processes.items[0]->record.time_ns : 0;
    history->origin_ns = start_ns ? start_ns : time_ns;
    history->slice_ns = FIRST_SLICE_NS;
    history->slices_max = HISTORY_SLICES;
}

static uint64_t slice_at(const struct history *history, uint64_t time_ns)
{
    return time_ns > history->origin_ns ? (time_ns - history->origin_ns) / history->slice_ns : 0;
}

uint32_t history_slice(struct profile *profile, uint64_t time_ns)
{
    struct history *history = &profile->history;
    if (history->slice_ns == 0)
        begin(profile, time_ns);
    limit_accounts(profile);
    while (slice_at(history, time_ns) >= history->slices_max)
        halve(profile);
    return (uint32_t)slice_at(history, time_ns);
}

struct thread *history_new_thread(struct profile *profile, struct process *process, uint32_t tid,
                                  uint64_t cpu_ns)
{
    struct thread *thread = process_new_thread(process, tid, cpu_ns);
    thread->part = ++profile->history.n_parts;
    return thread;
}

uint32_t history_part(struct profile *profile, struct process *process, const struct thread *thread)
{
    if (thread)
        return thread->part;
    if (process->part == 0)
        process->part = ++profile->history.n_parts;
    return process->part;
}

/* A sample is seen once, in its last slice; of many looks every slice has its share. */
void history_add(struct profile *profile, struct ledger *ledger, const struct account *account,
                 const struct history_span *span)
{
    const struct history *history = &profile->history;
    struct account part = *account;
    uint32_t last = history_slice(profile, span->end_ns);
    uint64_t first = slice_at(history, span->start_ns), start_ns = span->start_ns;
    uint64_t n_left = span->n_seen;
    double long_ns = (double)(span->end_ns - span->start_ns);
    for (part.slice = (uint32_t)first; part.slice < last; part.slice++) {
        uint64_t end_ns = history->origin_ns + (part.slice + 1) * history->slice_ns;
        double share = (double)(end_ns - start_ns) / long_ns;
        uint64_t n = (uint64_t)(share * (double)span->n_seen);
        n = n < n_left ? n : n_left;
        ledger_add(ledger, &part, span->time_ns * share, n);
        n_left -= n;
        start_ns = end_ns;
    }
    double share = long_ns > 0 ? (double)(span->end_ns - start_ns) / long_ns : 1;
    ledger_add(ledger, &part, span->time_ns * share, n_left);
}
