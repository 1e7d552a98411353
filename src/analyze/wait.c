/* SPDX-License-Identifier: Apache-2.0 */
/* Time in which a thread did not run: which line it is charged to, and whether it is part of the
 * 100% (idle time of the process) or stands apart (waits of each thread). */
#include "analyze/charge.h"

/* A thread that has no sample yet was at least seen waiting. */
static void note_place(struct thread *thread, struct charge charge)
{
    thread->has_python = true;
    if (charge.frame && thread->n_seen == 0) {
        thread->last_frame = charge.frame;
        thread->last_stack = charge.stack;
    }
}

/* Without frames, where the thread was last seen at work. */
static struct charge charge_of(struct profile *profile, const struct process *process,
                               struct thread *thread, const struct record_wait *record)
{
    const struct record_frame *frames = (const struct record_frame *)(record + 1);
    /* Where a thread waits that we may not look into, nobody knows: least of all its samples. */
    if (record->head.flags & WAIT_IS_BLIND)
        profile->n_blind_waits++;
    if (record->n_frames == 0 && (record->head.flags & WAIT_IS_BLIND))
        return (struct charge){0, 0};
    if (record->n_frames == 0)
        return thread ? charge_last(thread) : (struct charge){0, 0};
    struct charge charge = charge_find(profile, process, frames, record->n_frames, false);
    if (thread)
        note_place(thread, charge);
    return charge;
}

static bool is_whole(const struct record_wait *record)
{
    return record->kind < WAIT_KINDS && (uint64_t)record->n_frames * sizeof(struct record_frame) <=
                                            record->head.size - sizeof *record;
}

/* The holder is at the line of its latest sample before. */
static void add_gil(struct profile *profile, const struct process *process, uint32_t waiter,
                    const struct record_wait *record)
{
    const struct thread *holder =
        record->holder_ident ? process_thread_named(process, record->holder_ident) : NULL;
    uint32_t frame = holder ? thread_frame_at(holder, record->time_ns) : PLACES_NO_FRAME;
    gil_add(&profile->gil, &profile->places, waiter, frame, (double)record->wait_ns);
}

static void charge_line(struct profile *profile, uint32_t frame, enum wait_kind kind,
                        double wait_ns, uint64_t n_looks)
{
    struct account account = {frame, 0, 0, (uint16_t)kind, false};
    if (frame)
        ledger_add(&profile->waits, &account, wait_ns, n_looks);
}

/* A thread loses its CPU wherever it runs: where it ran of late shares the time. */
static void charge_starved(struct profile *profile, const struct thread *thread, double wait_ns)
{
    uint64_t n = thread->n_seen < THREAD_SEEN ? thread->n_seen : THREAD_SEEN;
    for (uint64_t i = 0; i < n; i++)
        charge_line(profile, thread->seen[i].frame, WAIT_STARVED, wait_ns / (double)n, 0);
}

bool wait_add(struct profile *profile, struct process *process, const struct record_wait *record)
{
    if (!is_whole(record))
        return false;
    double wait_ns = (double)record->wait_ns;
    struct thread *thread = process_thread(process, record->tid);
    struct charge charge = charge_of(profile, process, thread, record);
    if (record->kind == WAIT_STARVED && thread && thread->n_seen)
        charge_starved(profile, thread, wait_ns);
    else
        charge_line(profile, charge.frame, record->kind, wait_ns, record->n_looks);
    if (thread)
        thread->waits_ns[record->kind] += wait_ns;
    if (record->kind == WAIT_GIL)
        add_gil(profile, process, charge.frame, record);
    profile->waits_ns[record->kind] += wait_ns;
    profile->n_waits++;
    process_saw_time(process, record->time_ns);
    charge_limit_stacks(profile);
    return true;
}

bool wait_add_idle(struct profile *profile, struct process *process,
                   const struct record_wait *record)
{
    if (!is_whole(record))
        return false;
    double idle_ns = (double)record->wait_ns;
    struct thread *thread = process_thread(process, record->tid);
    struct charge charge = charge_of(profile, process, thread, record);
    struct account account = {charge.frame, charge.stack, 0, VERDICT_SYSTEM, false};
    if (charge.frame)
        ledger_add(&profile->idle, &account, idle_ns, record->n_looks);
    else
        process->outside_idle_ns += idle_ns;
    process->idle_ns += idle_ns;
    profile->n_waits++;
    process_saw_time(process, record->time_ns);
    charge_limit_stacks(profile);
    return true;
}
