/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums.h"

#define NS 1e-9

double cost_s(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

void cost_join(struct cost *cost, const struct cost *other)
{
    cost->python_s += other->python_s;
    cost->native_s += other->native_s;
    cost->system_s += other->system_s;
    cost->n_samples += other->n_samples;
    cost->idle_s += other->idle_s;
    cost->n_looks += other->n_looks;
}

enum profile_kind sums_kind(const struct profile *profile, const struct account *account)
{
    if (account->verdict == VERDICT_SYSTEM)
        return KIND_SYSTEM;
    if (account->verdict == VERDICT_NATIVE ||
        (account->verdict == VERDICT_HELPER &&
         operation_is_long(&profile->operations.items[account->operation])))
        return KIND_NATIVE;
    return KIND_PYTHON;
}

static struct cost cpu_cost(const struct profile *profile, const struct entry *entry)
{
    enum profile_kind kind = sums_kind(profile, &entry->account);
    double seconds = entry->time_ns * NS;
    return (struct cost){.python_s = kind == KIND_PYTHON ? seconds : 0,
                         .native_s = kind == KIND_NATIVE ? seconds : 0,
                         .system_s = kind == KIND_SYSTEM ? seconds : 0,
                         .n_samples = entry->n_seen};
}

/* Charges a line, its function and a stack. */
static void add_cost(const struct profile *profile, struct sums *sums, const struct entry *entry,
                     const struct cost *cost)
{
    struct frame frame = profile->places.frames.items[entry->account.frame];
    struct sum *both[] = {&sums->lines[frame.line], &sums->functions[frame.function]};
    for (size_t i = 0; i < 2; i++) {
        cost_join(&both[i]->cost, cost);
        both[i]->helper_s += entry->account.is_helper ? entry->time_ns * NS : 0;
        both[i]->is_seen = true;
    }
    cost_join(&sums->stacks[entry->account.stack], cost);
}

static void add_cpu(const struct profile *profile, struct sums *sums, const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n; i++) {
        struct cost cost = cpu_cost(profile, &ledger->items[i]);
        add_cost(profile, sums, &ledger->items[i], &cost);
    }
}

static void add_idle(const struct profile *profile, struct sums *sums)
{
    for (size_t i = 0; i < profile->idle.n; i++) {
        const struct entry *entry = &profile->idle.items[i];
        double seconds = entry->time_ns * NS;
        struct cost cost = {.system_s = seconds, .idle_s = seconds, .n_looks = entry->n_seen};
        add_cost(profile, sums, entry, &cost);
    }
}

static void add_waits(const struct profile *profile, struct sums *sums)
{
    for (size_t i = 0; i < profile->waits.n; i++) {
        const struct entry *entry = &profile->waits.items[i];
        struct frame frame = profile->places.frames.items[entry->account.frame];
        struct sum *both[] = {&sums->lines[frame.line], &sums->functions[frame.function]};
        for (size_t k = 0; k < 2; k++) {
            both[k]->waits_s[entry->account.verdict] += entry->time_ns * NS;
            both[k]->is_seen = true;
        }
    }
}

/* Lines and functions that allocated are part of the result, whatever their time. */
static void add_memory(const struct profile *profile, struct sums *sums)
{
    const struct memory *memory = &profile->memory;
    for (size_t i = 0; i < memory->lines.n; i++)
        sums->lines[i].is_seen |= memory->lines.items[i].n_samples > 0;
    for (size_t i = 0; i < memory->functions.n; i++)
        sums->functions[i].is_seen |= memory->functions.items[i].n_samples > 0;
}

/* All accounts: those of threads that are over, and of those still at work as they stand now. */
void sums_make(struct sums *sums, const struct profile *profile)
{
    struct ledger *ledger = &sums->ledger;
    sums->lines = arena_alloc(sums->arena, profile->places.lines.n * sizeof *sums->lines);
    sums->functions =
        arena_alloc(sums->arena, profile->places.functions.n * sizeof *sums->functions);
    sums->stacks = arena_alloc(sums->arena, profile->stacks.n * sizeof *sums->stacks);
    sums->outside_ns = arena_alloc(sums->arena, profile->processes.n * sizeof *sums->outside_ns);
    for (size_t p = 0; p < profile->processes.n; p++) {
        const struct process *process = profile->processes.items[p];
        sums->outside_ns[p] = process->outside_ns + pools_settle(&process->pools, ledger);
        for (size_t t = 0; t < process->threads.n; t++)
            if (!process->threads.items[t].is_over)
                sums->outside_ns[p] += thread_settle(&process->threads.items[t], ledger);
    }
    add_cpu(profile, sums, &profile->ledger);
    add_cpu(profile, sums, ledger);
    add_idle(profile, sums);
    add_waits(profile, sums);
    add_memory(profile, sums);
}

void sums_fini(struct sums *sums)
{
    ledger_fini(&sums->ledger);
}
