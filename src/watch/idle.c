/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/idle.h"

#include <string.h>

#define LATE_WEIGHT 1e-6      /* of a look that came too late beside one that did not */
#define WINDOW_NS   100000000 /* shorter windows would rest on too few looks */
#define STEP_NS     250000000 /* the kernel books 4 ms late: shorter steps would be blurred by it */
/* A window should end while nobody wants to run: the kernel books how long a thread had no CPU only
 * when it gets one, and what comes after the window's end is too late. But it must end. */
#define WINDOW_MAX_NS ((int64_t)10 * 1000000000)
#define DOUBT_NS      20e9 /* what was seen before half of that is forgotten by and by */
/* So long votes are collected until what is not sure is shared out by them. */
#define LIKELY_NS 1000000000

static bool waits_outside(const struct watched_thread *t)
{
    return !t->is_gone && !t->is_running && t->wait.stack.n > 0 && t->wait.kind != WAIT_LOCK &&
           t->wait.kind != WAIT_GIL;
}

/* Who waits for the GIL waits for somebody who runs. */
static bool is_busy(const struct watched_thread *t)
{
    return !t->is_gone && (t->is_running || t->wait.kind == WAIT_GIL);
}

static void vote_last(struct idle *idle, vote_list *votes, double weight, uint32_t n_looks)
{
    for (size_t i = 0; i < idle->last.n; i++)
        votes_add(votes, &idle->last.items[i], weight * idle->last.items[i].weight, n_looks);
}

/* At whose door an idle moment is laid. */
static void find_voters(struct idle *idle, const watched_threads *threads)
{
    size_t n_outside = 0;
    idle->last.n = 0;
    for (size_t i = 0; i < threads->n; i++)
        n_outside += waits_outside(&threads->items[i]);
    for (size_t i = 0; i < threads->n; i++) {
        const struct watched_thread *t = &threads->items[i];
        if (!(n_outside ? waits_outside(t) : t->is_main))
            continue;
        struct vote *voter = vec_push(&idle->last);
        *voter = t->wait;
        voter->holder_ident = 0;
        voter->weight = n_outside ? 1.0 / (double)n_outside : 1.0;
    }
}

/* Bounds of the time in which no thread ran, from the last step to now. What is booked too late for
 * one step is too much in the next: with a single busy thread the two cancel out. */
static void take_step(struct idle *idle, watched_threads *threads, int64_t now_ns)
{
    int64_t wall_ns = now_ns - idle->step_start_ns, little_ns = wall_ns / 200;
    /* Those that ended are taken for one that ran in their place, as they mostly did. */
    int64_t sum_ns = idle->departed_ns, most_ns = idle->departed_ns;
    unsigned n_busy = most_ns > little_ns;
    for (size_t i = 0; i < threads->n; i++) {
        struct watched_thread *t = &threads->items[i];
        sum_ns += t->busy_ns;
        most_ns = t->busy_ns > most_ns ? t->busy_ns : most_ns;
        n_busy += t->busy_ns > little_ns;
        t->busy_ns = 0;
    }
    int64_t high_ns = wall_ns - most_ns, low_ns = n_busy > 1 ? wall_ns - sum_ns : high_ns;
    idle->high_ns += n_busy > 1 && high_ns < 0 ? 0 : high_ns;
    idle->low_ns += n_busy > 1 && low_ns < 0 ? 0 : low_ns;
    idle->departed_ns = 0;
    idle->step_start_ns = now_ns;
}

static double within(double value, double low, double high)
{
    value = value < low ? low : value;
    return value > high ? high : value;
}

/* How much of the window no thread ran. */
static uint64_t idle_ns(struct idle *idle, int64_t wall_ns)
{
    struct idle_doubt *doubt = &idle->doubt;
    double share =
        idle->looked_ns ? (double)idle->idle_looked_ns / (double)idle->looked_ns : 0; /* of looks */
    double low_ns = (double)idle->low_ns, high_ns = (double)idle->high_ns;
    if (high_ns <= 0)
        return 0;
    if (low_ns >= high_ns)
        return (uint64_t)high_ns;
    doubt->wall_ns += (double)wall_ns;
    doubt->seen_ns += share * (double)wall_ns;
    doubt->low_ns += low_ns;
    doubt->high_ns += high_ns;
    double all_ns = within(doubt->seen_ns, doubt->low_ns, doubt->high_ns);
    double ns = within(all_ns - doubt->told_ns, 0, high_ns);
    doubt->told_ns += ns;
    if (doubt->wall_ns > DOUBT_NS) {
        doubt->wall_ns /= 2;
        doubt->seen_ns /= 2;
        doubt->low_ns /= 2;
        doubt->high_ns /= 2;
        doubt->told_ns -= all_ns / 2;
    }
    return (uint64_t)ns;
}

/* Shares out the idle time of a span that ends now. False: there is no vote. */
static bool send_shares(vote_list *votes, struct watched_memory *memory, double total_ns,
                        int64_t now_ns, int64_t span_ns)
{
    double weights = votes_weight(votes);
    if (weights <= 0)
        return false;
    for (size_t i = 0; i < votes->n && !memory->is_told; i++) {
        const struct vote *vote = &votes->items[i];
        struct record_wait *record = watched_record(memory, RECORD_IDLE, &vote->stack);
        record->time_ns = (uint64_t)now_ns;
        record->span_us = (uint32_t)(span_ns / 1000);
        record->wait_ns = (uint64_t)(total_ns * vote->weight / weights);
        record->tid = vote->tid;
        record->n_looks = vote->n_looks;
        record->kind = (uint8_t)vote->kind;
    }
    votes->n = 0;
    return true;
}

static void settle_window(struct idle *idle, watched_threads *threads,
                          struct watched_memory *memory, int64_t now_ns)
{
    take_step(idle, threads, now_ns);
    int64_t wall_ns = now_ns - idle->window_start_ns;
    uint64_t total_ns = idle_ns(idle, wall_ns);
    double sure_ns = votes_weight(&idle->sure);
    sure_ns = sure_ns < (double)total_ns ? sure_ns : (double)total_ns;
    if (sure_ns > 0)
        send_shares(&idle->sure, memory, sure_ns, now_ns, wall_ns);
    idle->likely_ns += total_ns - (uint64_t)sure_ns;
    idle->sure.n = 0;
    idle->looked_ns = idle->idle_looked_ns = 0;
    /* We may lose our CPU between reading the clock and reading the thread's times: what is too
     * much for this window is missing in the next. */
    idle->low_ns = idle->high_ns = idle->high_ns < 0 ? idle->high_ns : 0;
    idle->window_start_ns = now_ns;
}

static void settle_likely(struct idle *idle, struct watched_memory *memory, int64_t now_ns)
{
    int64_t span_ns = now_ns - idle->likely_start_ns;
    if (idle->likely_ns &&
        !send_shares(&idle->likely, memory, (double)idle->likely_ns, now_ns, span_ns))
        return;
    idle->likely.n = 0;
    idle->likely_ns = 0;
    idle->likely_start_ns = now_ns;
}

void idle_settle(struct idle *idle, watched_threads *threads, struct watched_memory *memory,
                 int64_t now_ns)
{
    settle_window(idle, threads, memory, now_ns);
    if (!idle->likely.n)
        vote_last(idle, &idle->likely, 1, 1);
    settle_likely(idle, memory, now_ns);
}

void idle_depart(struct idle *idle, const struct watched_thread *thread)
{
    idle->departed_ns += thread->busy_ns;
}

void idle_leave_out(struct idle *idle, int64_t length_ns)
{
    idle->window_start_ns += length_ns;
    idle->step_start_ns += length_ns;
    idle->likely_start_ns += length_ns;
}

void idle_look(struct idle *idle, watched_threads *threads, struct watched_memory *memory,
               int64_t now_ns, int64_t length_ns, bool is_late)
{
    bool has_busy = false, has_run = false;
    for (size_t i = 0; i < threads->n; i++) {
        has_busy |= is_busy(&threads->items[i]);
        has_run |= threads->items[i].has_run;
    }
    int64_t half_ns = is_late ? 0 : length_ns / 2;
    double weight = (double)length_ns * (is_late ? LATE_WEIGHT : 0.5);
    bool is_sure = idle->was_idle && !has_busy && !has_run;
    idle->looked_ns += 2 * half_ns;
    idle->idle_looked_ns += (idle->was_idle ? half_ns : 0) + (has_busy ? 0 : half_ns);
    if (is_sure)
        vote_last(idle, &idle->sure, (double)length_ns, 1);
    else if (idle->was_idle)
        vote_last(idle, &idle->likely, weight, 0);
    idle->was_idle = !has_busy;
    if (!has_busy)
        find_voters(idle, threads);
    if (!has_busy && !is_sure)
        vote_last(idle, &idle->likely, weight, 1);
    int64_t age_ns = now_ns - idle->window_start_ns;
    if (now_ns - idle->step_start_ns >= STEP_NS)
        take_step(idle, threads, now_ns);
    if ((age_ns >= WINDOW_NS && !has_busy) || age_ns >= WINDOW_MAX_NS) {
        settle_window(idle, threads, memory, now_ns);
        if (now_ns - idle->likely_start_ns >= LIKELY_NS)
            settle_likely(idle, memory, now_ns);
    }
}

void idle_fini(struct idle *idle)
{
    vec_fini(&idle->sure);
    vec_fini(&idle->likely);
    vec_fini(&idle->last);
}
