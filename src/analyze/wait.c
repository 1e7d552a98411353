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
    if (record->n_frames == 0 && (record->head.flags & WAIT_IS_BLIND))
        return (struct charge){0, 0};
    if (record->n_frames == 0)
        return thread ? charge_last(thread) : (struct charge){0, 0};
    struct charge charge = charge_find(profile, process, frames, record->n_frames, false);
    if (thread)
        note_place(thread, charge);
    return charge;
}

static void count(struct process *process, const struct record_wait *record)
{
    process->n_waits++;
    process->n_blind_waits += (record->head.flags & WAIT_IS_BLIND) != 0;
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

static void charge_line(struct profile *profile, uint32_t part, uint32_t frame, enum wait_kind kind,
                        double wait_ns, uint64_t n_looks)
{
    struct account account = {.frame = frame, .verdict = (uint16_t)kind, .part = part};
    if (frame)
        ledger_add(&profile->waits, &account, wait_ns, n_looks);
}

/* A thread loses its CPU wherever it runs: where it ran of late shares the time. */
static void charge_starved(struct profile *profile, const struct thread *thread, double wait_ns)
{
    uint64_t n = thread->n_seen < THREAD_SEEN ? thread->n_seen : THREAD_SEEN;
    for (uint64_t i = 0; i < n; i++)
        charge_line(profile, thread->part, thread->seen[i].frame, WAIT_STARVED, wait_ns / (double)n,
                    0);
}

/* What the agent tells of a wait may reach back to before measuring was switched on. */
static uint64_t length_of(const struct process *process, const struct record_wait *record)
{
    uint64_t since_ns = process->inside.since_ns;
    uint64_t most_ns = record->time_ns > since_ns ? record->time_ns - since_ns : 0;
    bool is_cut = (record->head.flags & WAIT_IS_INSIDE) && record->wait_ns > most_ns;
    return is_cut ? most_ns : record->wait_ns;
}

/* What the agent tells: the span is kept, for idle time is where the spans of all threads meet. */
static void add_span(struct profile *profile, struct process *process, struct thread *thread,
                     const struct record_wait *record, struct charge charge)
{
    bool begins = record->head.flags & WAIT_BEGINS;
    struct inside_wait wait = {.start_ns =
                                   record->time_ns - (begins ? 0 : length_of(process, record)),
                               .end_ns = begins ? 0 : record->time_ns,
                               .kind = record->kind,
                               .frame = charge.frame,
                               .stack = charge.stack};
    inside_add(profile, process, thread, &wait);
}

void wait_close(struct profile *profile, struct thread *thread, uint64_t time_ns)
{
    struct inside_wait *open = &thread->inside.open;
    bool is_open = open->start_ns && !open->end_ns && thread->inside.heard_ns == open->start_ns;
    if (thread->is_over || !is_open || time_ns <= open->start_ns)
        return;
    double wait_ns = (double)(time_ns - open->start_ns);
    charge_line(profile, thread->part, open->frame, open->kind, wait_ns, 1);
    thread->waits_ns[open->kind] += wait_ns;
    profile->waits_ns[open->kind] += wait_ns;
    open->end_ns = time_ns;
}

bool wait_add(struct profile *profile, struct process *process, const struct record_wait *record)
{
    if (!is_whole(record))
        return false;
    double wait_ns = (double)length_of(process, record);
    struct thread *thread = process_thread(process, record->tid);
    struct charge charge = charge_of(profile, process, thread, record);
    count(process, record);
    process_saw_time(process, record->time_ns);
    if ((record->head.flags & WAIT_IS_INSIDE) && thread && !thread->is_over)
        add_span(profile, process, thread, record, charge);
    if (record->head.flags & WAIT_BEGINS)
        return true;
    if (record->kind == WAIT_STARVED && thread && thread->n_seen)
        charge_starved(profile, thread, wait_ns);
    else
        charge_line(profile, history_part(profile, process, thread), charge.frame, record->kind,
                    wait_ns, record->n_looks);
    if (thread)
        thread->waits_ns[record->kind] += wait_ns;
    if (record->kind == WAIT_GIL)
        add_gil(profile, process, charge.frame, record);
    profile->waits_ns[record->kind] += wait_ns;
    charge_limit_stacks(profile);
    return true;
}

bool wait_add_idle(struct profile *profile, struct process *process,
                   const struct record_wait *record)
{
    if (!is_whole(record))
        return false;
    double idle_ns = (double)record->wait_ns;
    uint64_t span_ns = (uint64_t)record->span_us * 1000, end_ns = record->time_ns;
    struct history_span span = {span_ns < end_ns ? end_ns - span_ns : 0, end_ns, idle_ns,
                                record->n_looks};
    struct thread *thread = process_thread(process, record->tid);
    struct charge charge = charge_of(profile, process, thread, record);
    struct account account = {.frame = charge.frame,
                              .stack = charge.stack,
                              .verdict = VERDICT_SYSTEM,
                              .part = history_part(profile, process, thread)};
    if (charge.frame)
        history_add(profile, &profile->idle, &account, &span);
    else
        process->outside_idle_ns += idle_ns;
    process->idle_ns += idle_ns;
    count(process, record);
    process_saw_time(process, record->time_ns);
    charge_limit_stacks(profile);
    return true;
}
