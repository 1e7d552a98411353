/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/inside.h"

#include "analyze/state.h"

/* A thread that runs is sampled far more often than this. At the end there is less to go by. */
#define SILENCE_NS     1000000000u
#define END_SILENCE_NS 200000000u
#define WINDOW_NS      200000000u /* shorter ones would be swept too often */

/* What happens at one moment to one thread while a window is swept. */
struct edge {
    uint64_t time_ns;
    uint32_t thread;
    uint32_t order;                 /* edges of a thread at the same moment happen in this order */
    const struct inside_wait *wait; /* begins; NULL: it runs, or is gone */
    bool is_gone;
};
typedef vec_of(struct edge) edges;

/* A thread during the sweep. */
struct sweeper {
    const struct inside_wait *wait; /* NULL: it runs, unless it is gone */
    bool is_gone;
};

static int by_time(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool waits_outside(const struct sweeper *s)
{
    return s->wait && s->wait->frame && s->wait->kind != WAIT_LOCK && s->wait->kind != WAIT_GIL;
}

static void charge_idle(struct profile *profile, struct process *process, uint32_t part,
                        const struct inside_wait *wait, const struct history_span *span)
{
    struct account account = {
        .frame = wait->frame, .stack = wait->stack, .verdict = VERDICT_SYSTEM, .part = part};
    if (wait->frame)
        history_add(profile, &profile->idle, &account, span);
    else
        process->outside_idle_ns += span->time_ns;
    process->idle_ns += span->time_ns;
}

/* Nobody ran for a while: it is laid at the door of those that wait for something outside, else of
 * the main thread. */
static void share_idle(struct profile *profile, struct process *process,
                       const struct sweeper *sweepers, uint64_t start_ns, uint64_t end_ns)
{
    static const struct inside_wait nowhere;
    size_t n_outside = 0, n = process->threads.n;
    const struct inside_wait *of_main = &nowhere;
    struct history_span span = {start_ns, end_ns, (double)(end_ns - start_ns), 1};
    for (size_t i = 0; i < n; i++) {
        n_outside += waits_outside(&sweepers[i]);
        if (process->threads.items[i].is_main && sweepers[i].wait)
            of_main = sweepers[i].wait;
    }
    if (!n_outside) {
        const struct thread *main_thread = process_main_thread(process);
        charge_idle(profile, process, history_part(profile, process, main_thread), of_main, &span);
        return;
    }
    span.time_ns /= (double)n_outside;
    for (size_t i = 0; i < n; i++)
        if (waits_outside(&sweepers[i]))
            charge_idle(profile, process, process->threads.items[i].part, sweepers[i].wait, &span);
}

static void push(edges *all, uint64_t time_ns, size_t thread, const struct inside_wait *wait,
                 bool is_gone)
{
    uint32_t order = (uint32_t)all->n;
    *vec_push(all) = (struct edge){time_ns, (uint32_t)thread, order, wait, is_gone};
}

/* The edges of one thread between two moments; how it begins is an edge at the first. */
static void push_thread(edges *all, const struct inside_thread *t, size_t thread, uint64_t from_ns,
                        uint64_t to_ns)
{
    bool is_gone = t->start_ns >= to_ns || (t->end_ns && t->end_ns <= from_ns);
    push(all, from_ns, thread, NULL, is_gone || t->start_ns > from_ns);
    if (is_gone)
        return;
    if (t->start_ns > from_ns)
        push(all, t->start_ns, thread, NULL, false);
    for (size_t i = 0; i < t->waits.n; i++) {
        const struct inside_wait *w = &t->waits.items[i];
        if (w->end_ns <= from_ns || w->start_ns >= to_ns)
            continue;
        push(all, w->start_ns > from_ns ? w->start_ns : from_ns, thread, w, false);
        if (w->end_ns < to_ns)
            push(all, w->end_ns, thread, NULL, false);
    }
    if (t->end_ns && t->end_ns < to_ns)
        push(all, t->end_ns, thread, NULL, true);
}

/* 1: such a thread keeps the process from being idle. */
static int is_busy(const struct sweeper *s)
{
    return !s->is_gone && (!s->wait || s->wait->kind == WAIT_GIL);
}

static void sweep(struct profile *profile, struct process *process, edges *all, uint64_t to_ns)
{
    struct sweeper *sweepers = xrealloc(NULL, process->threads.n * sizeof *sweepers);
    int n_busy = 0, n_alive = 0;
    for (size_t i = 0; i < process->threads.n; i++)
        sweepers[i] = (struct sweeper){.is_gone = true};
    qsort(all->items, all->n, sizeof *all->items, by_time);
    for (size_t i = 0; i < all->n; i++) {
        const struct edge *e = &all->items[i];
        struct sweeper *s = &sweepers[e->thread];
        n_busy -= is_busy(s);
        n_alive -= !s->is_gone;
        *s = (struct sweeper){e->wait, e->is_gone};
        n_busy += is_busy(s);
        n_alive += !s->is_gone;
        uint64_t next_ns = i + 1 < all->n ? all->items[i + 1].time_ns : to_ns;
        if (n_busy == 0 && n_alive > 0 && next_ns > e->time_ns)
            share_idle(profile, process, sweepers, e->time_ns, next_ns);
    }
    free(sweepers);
}

/* A thread that keeps silent waits, as far as anybody knows where it said so last. For the GIL
 * nobody waits that long. Settling lags behind by as long as a thread must be silent, unless it is
 * the end. */
static void take_silence(struct inside_thread *t, uint64_t from_ns, uint64_t to_ns, bool is_end)
{
    uint64_t since_ns = t->heard_ns > from_ns ? t->heard_ns : from_ns;
    bool is_silent = !t->end_ns && t->heard_ns + (is_end ? END_SILENCE_NS : 0) < to_ns;
    if (!is_silent || since_ns >= to_ns)
        return;
    struct inside_wait *wait = vec_push(&t->waits);
    *wait = t->open;
    wait->kind = wait->kind == WAIT_GIL ? WAIT_LOCK : wait->kind;
    wait->start_ns = since_ns;
    wait->end_ns = to_ns;
}

static void forget_settled(struct inside_thread *t, uint64_t to_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->waits.n; i++)
        if (t->waits.items[i].end_ns > to_ns)
            t->waits.items[kept++] = t->waits.items[i];
    t->waits.n = kept;
}

static void settle(struct profile *profile, struct process *process, uint64_t to_ns, bool is_end)
{
    uint64_t from_ns = process->inside.settled_ns;
    edges all = {0};
    if (!from_ns || to_ns <= from_ns)
        return;
    for (size_t i = 0; i < process->threads.n; i++) {
        struct inside_thread *t = &process->threads.items[i].inside;
        take_silence(t, from_ns, to_ns, is_end);
        push_thread(&all, t, i, from_ns, to_ns);
    }
    if (all.n)
        sweep(profile, process, &all, to_ns);
    for (size_t i = 0; i < process->threads.n; i++)
        forget_settled(&process->threads.items[i].inside, to_ns);
    vec_fini(&all);
    process->inside.settled_ns = to_ns;
}

void inside_heard(struct profile *profile, struct process *process, struct thread *thread,
                  uint64_t time_ns)
{
    if (time_ns > thread->inside.heard_ns)
        thread->inside.heard_ns = time_ns;
    if (process->inside.settled_ns && time_ns > process->inside.settled_ns + SILENCE_NS + WINDOW_NS)
        settle(profile, process, time_ns - SILENCE_NS, false);
}

void inside_add(struct profile *profile, struct process *process, struct thread *thread,
                const struct inside_wait *wait)
{
    struct inside_thread *t = &thread->inside;
    uint64_t end_ns = wait->end_ns ? wait->end_ns : wait->start_ns;
    if (!process->inside.settled_ns)
        process->inside.settled_ns = wait->start_ns;
    process->inside.n_told++;
    t->open = *wait;
    if (wait->end_ns) {
        /* Short waits that are told together may reach back into the one before. */
        uint64_t free_ns = t->waits.n ? t->waits.items[t->waits.n - 1].end_ns : 0;
        struct inside_wait *kept = vec_push(&t->waits);
        *kept = *wait;
        kept->start_ns = wait->start_ns > free_ns ? wait->start_ns : free_ns;
    }
    inside_heard(profile, process, thread, end_ns);
}

void inside_end_thread(struct thread *thread, uint64_t time_ns)
{
    struct inside_thread *t = &thread->inside;
    bool is_open = t->open.start_ns && !t->open.end_ns && t->open.start_ns == t->heard_ns;
    t->end_ns = time_ns;
    if ((!is_open && t->heard_ns + END_SILENCE_NS >= time_ns) || t->heard_ns >= time_ns)
        return;
    struct inside_wait *wait = vec_push(&t->waits);
    *wait = t->open;
    wait->start_ns = t->heard_ns;
    wait->end_ns = time_ns;
}

void inside_end(struct profile *profile, struct process *process)
{
    if (!process->off_since_ns)
        settle(profile, process, process->last_time_ns, true);
}

/* What is open when measuring is switched off goes on being open when it is switched on again. */
static void switch_on(struct inside_thread *t, uint64_t off_ns, uint64_t time_ns)
{
    t->heard_ns = time_ns;
    if (t->open.start_ns && t->open.end_ns == off_ns) {
        t->open.start_ns = time_ns;
        t->open.end_ns = 0;
    }
}

void inside_switch(struct profile *profile, struct process *process, uint64_t time_ns, bool is_off)
{
    if (is_off == (process->off_since_ns != 0))
        return;
    if (is_off)
        settle(profile, process, time_ns, true);
    for (size_t i = 0; i < process->threads.n; i++) {
        struct thread *thread = &process->threads.items[i];
        if (is_off)
            wait_close(profile, thread, time_ns);
        else if (!thread->is_over)
            switch_on(&thread->inside, process->off_since_ns, time_ns);
    }
    if (is_off)
        return;
    process->inside.since_ns = time_ns;
    if (process->inside.settled_ns && process->inside.settled_ns < time_ns)
        process->inside.settled_ns = time_ns;
}

void inside_move_stacks(struct inside_thread *t, const uint32_t *new_ids)
{
    if (t->open.frame)
        t->open.stack = new_ids[t->open.stack];
    for (size_t i = 0; i < t->waits.n; i++)
        if (t->waits.items[i].frame)
            t->waits.items[i].stack = new_ids[t->waits.items[i].stack];
}

void inside_fini(struct inside_thread *t)
{
    vec_fini(&t->waits);
}
