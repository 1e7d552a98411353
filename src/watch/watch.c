/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/watch.h"

#include "base/vec.h"
#include "watch/idle.h"
#include "watch/namespace.h"
#include "watch/pace.h"
#include "watch/resident.h"

#include <time.h>

/* Woken so much later than twice the usual we had no CPU ourselves: others ran, and the look says
 * little about idle. */
#define LATE_NS      100000
#define LATE_STEP_NS 4000 /* by so much the usual follows each look */
#define LATE_USUAL   400000
/* Of parked threads only so many are looked at each time, for the times of the others are not lost
 * but charged at their next turn. */
#define PARKED_TURNS 32
#define CROWD        64 /* threads: to look at all of them takes as long as many looks at one */
/* To be woken and to go back to sleep takes longer than to look at a thread, and shows only in what
 * we have used by the next look. So does other work, some of it once and long. */
#define WAKE_MAX_NS 200000

struct watched_process {
    uint32_t number;
    pid_t pid;
    struct watched_memory memory;
    watched_threads threads;
    struct idle idle;
    bool is_foreign; /* its threads have other numbers to us than to themselves */
    bool is_asked;   /* its agent was asked to tell of waits itself */
    bool is_off;     /* measuring is switched off, since off_ns */
    int64_t off_ns;
    int64_t ended_ns;   /* when the last of its threads to end did */
    int64_t away_ns;    /* how long it was off since the last look */
    size_t parked_turn; /* where the next parked threads to be looked at begin */
};

struct watch {
    vec_of(struct watched_process *) processes; /* owns */
    struct queue queue;
    struct resident resident;
    struct burst_terms bursts;
    bool has_looks, has_memory;
    struct pace pace;
    int64_t due_ns, woken_ns, looked_ns;
    int64_t used_ns;       /* our own CPU time after the last look */
    int64_t usual_late_ns; /* half of our wakings are later than that */
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct watch *watch_new(const struct watch_wish *wish)
{
    struct watch *watch = xrealloc(NULL, sizeof *watch);
    *watch = (struct watch){.has_looks = wish->has_looks,
                            .has_memory = wish->has_memory,
                            .bursts = burst_terms(wish->period_ns)};
    pace_init(&watch->pace);
    return watch;
}

static void process_free(struct watched_process *p)
{
    for (size_t i = 0; i < p->threads.n; i++)
        watched_thread_close(&p->threads.items[i]);
    vec_fini(&p->threads);
    idle_fini(&p->idle);
    stack_codes_fini(&p->memory.codes);
    remote_fini(&p->memory.remote);
    free(p);
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    for (size_t i = 0; i < watch->processes.n; i++)
        process_free(watch->processes.items[i]);
    vec_fini(&watch->processes);
    queue_fini(&watch->queue);
    free(watch);
}

/* ---- what passes by ---- */

static struct watched_process *find(struct watch *watch, uint32_t number)
{
    for (size_t i = 0; i < watch->processes.n; i++)
        if (watch->processes.items[i]->number == number)
            return watch->processes.items[i];
    return NULL;
}

static void see_process(struct watch *watch, uint32_t number, const struct record_process *record)
{
    struct watched_process *p = xrealloc(NULL, sizeof *p);
    *p = (struct watched_process){.number = number, .pid = (pid_t)record->pid};
    p->memory.process = number;
    p->memory.queue = &watch->queue;
    p->memory.bursts = &watch->bursts;
    remote_init(&p->memory.remote, p->pid);
    p->memory.cookie_at = record->cookie_at;
    p->memory.is_blind = !proc_can_be_seen(p->pid);
    p->is_foreign = namespace_is_foreign(p->pid);
    remote_try(&p->memory.remote, record->cookie_at);
    p->idle.window_start_ns = p->idle.step_start_ns = p->idle.likely_start_ns =
        (int64_t)record->time_ns;
    p->is_off = record->head.flags & PROCESS_IS_OFF;
    p->off_ns = (int64_t)record->time_ns;
    *vec_push(&watch->processes) = p;
}

/* The number by which we see a new thread. Who starts several gets them in a row. */
static uint32_t seen_tid(const struct watched_process *p, uint32_t tid)
{
    if (!p->is_foreign)
        return tid;
    const struct watched_thread *last = p->threads.n ? &p->threads.items[p->threads.n - 1] : NULL;
    return namespace_thread(p->pid, tid, last ? last->seen_tid + (tid - last->tid) : 0);
}

static void see_thread(struct watched_process *p, const struct record_thread *record)
{
    uint32_t tid = seen_tid(p, record->tid);
    struct watched_thread *t = vec_push(&p->threads);
    watched_thread_open(t, p->pid, tid, record);
    if (p->is_off)
        watched_thread_begins_off(t, p->off_ns);
}

/* ---- switched off and on ---- */

/* The thread's own clock at a switch: told by the process, or as far as it can be seen from here.
 */
static uint64_t clock_at(const struct watched_thread *t, const struct record_switch *record)
{
    const struct record_clock *clocks = (const void *)(record + 1);
    uint64_t cpu_ns = t->times.cpu_ns;
    for (uint32_t i = 0; i < record->n_clocks; i++)
        if (clocks[i].tid == t->tid)
            return clocks[i].cpu_ns;
    if (record->n_clocks == 0)
        watched_thread_cpu(t, &cpu_ns);
    return cpu_ns;
}

static void see_switch(struct watched_process *p, const struct record_switch *record)
{
    int64_t time_ns = (int64_t)record->time_ns;
    if (record->n_clocks > (record->head.size - sizeof *record) / sizeof(struct record_clock) ||
        p->is_off == (record->is_off != 0))
        return;
    int64_t length_ns = time_ns > p->off_ns ? time_ns - p->off_ns : 0;
    for (size_t i = 0; i < p->threads.n; i++) {
        struct watched_thread *t = &p->threads.items[i];
        if (record->is_off)
            watched_thread_off(t, time_ns, clock_at(t, record));
        else
            watched_thread_on(t, length_ns, clock_at(t, record));
    }
    if (!record->is_off) {
        idle_leave_out(&p->idle, length_ns);
        p->away_ns += length_ns;
    }
    p->is_off = record->is_off != 0;
    p->off_ns = time_ns;
}

/* The thread's last CPU time is known: what it ran since the last look goes to the idle window. */
static void see_thread_end(struct watched_process *p, const struct record_thread_end *record)
{
    for (size_t i = 0; i < p->threads.n; i++) {
        struct watched_thread *t = &p->threads.items[i];
        if (t->tid != record->tid)
            continue;
        watched_thread_finish(t, record);
        p->ended_ns = (int64_t)record->time_ns;
        idle_depart(&p->idle, t);
        watched_thread_send(t, &p->memory);
        watched_thread_close(t);
        *t = p->threads.items[--p->threads.n];
        return;
    }
}

/* The agent tells of its waits itself from now on; what was seen until then is settled. */
static void see_wait_told(struct watched_process *p, const struct record_wait *record)
{
    int64_t now_ns = (int64_t)(record->time_ns - record->wait_ns);
    if (p->memory.is_told)
        return;
    for (size_t t = 0; t < p->threads.n; t++)
        watched_thread_send(&p->threads.items[t], &p->memory);
    if (now_ns > p->idle.window_start_ns)
        idle_settle(&p->idle, &p->threads, &p->memory, now_ns);
    p->memory.is_told = true;
}

/* The process is gone: what is left to say is said. It was over when its last thread ended, if that
 * is known; we may have had no CPU to notice. */
static void end_process(struct watch *watch, struct watched_process *p, int64_t now_ns)
{
    size_t i = 0;
    while (watch->processes.items[i] != p)
        i++;
    for (size_t t = 0; t < p->threads.n; t++)
        watched_thread_send(&p->threads.items[t], &p->memory);
    if (p->is_off)
        now_ns = p->off_ns;
    else if (p->threads.n == 0 && p->ended_ns > p->idle.step_start_ns)
        now_ns = p->ended_ns;
    idle_settle(&p->idle, &p->threads, &p->memory, now_ns);
    process_free(p);
    watch->processes.items[i] = watch->processes.items[--watch->processes.n];
}

void watch_see(struct watch *watch, uint32_t process, const struct record_header *record)
{
    struct watched_process *p = find(watch, process);
    if (record->kind == RECORD_PROCESS && !p) {
        see_process(watch, process, (const void *)record);
    } else if (p && record->kind == RECORD_INTERPRETER) {
        p->memory.layout = ((const struct record_interpreter *)(const void *)record)->layout;
        p->memory.has_layout = true;
    } else if (p && record->kind == RECORD_THREAD && watch->has_looks) {
        see_thread(p, (const void *)record);
    } else if (p && record->kind == RECORD_THREAD_END) {
        see_thread_end(p, (const void *)record);
    } else if (p && record->kind == RECORD_SWITCH) {
        see_switch(p, (const void *)record);
    } else if (p && record->kind == RECORD_WAIT && record->size >= sizeof(struct record_wait)) {
        see_wait_told(p, (const void *)record);
    } else if (p && record->kind == RECORD_END) {
        end_process(watch, p, (int64_t)((const struct record_end *)(const void *)record)->time_ns);
    }
}

/* ---- looking ---- */

int64_t watch_due_ns(const struct watch *watch)
{
    return watch->has_looks && watch->processes.n ? watch->due_ns : 0;
}

static bool is_parked(const struct watched_process *p, const struct watched_thread *t)
{
    return watched_thread_is_parked(t, p->threads.n > CROWD);
}

static size_t count_parked(const struct watched_process *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->threads.n; i++)
        n += is_parked(p, &p->threads.items[i]);
    return n;
}

static bool is_restless(const struct watched_process *p)
{
    for (size_t i = 0; i < p->threads.n; i++)
        if (p->threads.items[i].is_restless)
            return true;
    return false;
}

static void look_at(struct watched_process *p, int64_t now_ns, int64_t length_ns, bool is_late)
{
    length_ns = length_ns > p->away_ns ? length_ns - p->away_ns : 0;
    p->away_ns = 0;
    size_t n_parked = count_parked(p), turn = 0;
    bool is_everyone = n_parked <= PARKED_TURNS;
    for (size_t i = 0; i < p->threads.n; i++) {
        struct watched_thread *t = &p->threads.items[i];
        if (!is_everyone && is_parked(p, t)) {
            size_t distance = (turn++ + n_parked - p->parked_turn) % n_parked;
            if (distance >= PARKED_TURNS) {
                t->has_run = false;
                continue;
            }
        }
        if (!t->is_gone)
            watched_thread_look(t, &p->memory, now_ns);
        if (p->memory.is_replaced)
            return;
    }
    if (!is_everyone)
        p->parked_turn = (p->parked_turn + PARKED_TURNS) % n_parked;
    idle_look(&p->idle, &p->threads, &p->memory, now_ns, length_ns, is_late);
}

void watch_switch(struct watch *watch, bool is_off, int64_t now_ns)
{
    for (size_t i = 0; i < watch->processes.n; i++) {
        struct watched_process *p = watch->processes.items[i];
        if (watch->has_looks && !p->is_off)
            look_at(p, now_ns, 0, true);
        struct record_switch *record =
            queue_push(&watch->queue, p->number, RECORD_SWITCH, sizeof *record);
        record->time_ns = (uint64_t)now_ns;
        record->is_off = is_off;
        struct record_switch copy = *record;
        see_switch(p, &copy);
    }
}

void watch_settle(struct watch *watch, int64_t now_ns)
{
    for (size_t i = 0; i < watch->processes.n; i++) {
        struct watched_process *p = watch->processes.items[i];
        if (!watch->has_looks || p->threads.n == 0)
            continue;
        if (!p->is_off)
            look_at(p, now_ns, 0, true);
        for (size_t t = 0; t < p->threads.n; t++)
            watched_thread_send(&p->threads.items[t], &p->memory);
        idle_settle(&p->idle, &p->threads, &p->memory, p->is_off ? p->off_ns : now_ns);
    }
}

void watch_wake(struct watch *watch, int64_t now_ns)
{
    watch->woken_ns = now_ns;
}

/* Has a budget of its own. */
static void look_at_memory(struct watch *watch, int64_t now_ns)
{
    struct resident_look look = resident_begin(&watch->resident, now_ns);
    for (size_t i = 0; i < watch->processes.n; i++) {
        struct watched_process *p = watch->processes.items[i];
        if (p->threads.n && !p->is_off)
            resident_see(&look, &watch->queue, p->number, p->pid);
    }
    resident_end(&watch->resident, &look);
}

/* A machine that sleeps takes its time to wake: what is late is measured by what is usual. */
static bool woke_late(struct watch *watch)
{
    int64_t late_ns = watch->woken_ns - watch->due_ns, usual_ns = watch->usual_late_ns;
    int64_t step_ns = late_ns > usual_ns ? LATE_STEP_NS : -LATE_STEP_NS;
    bool is_bound = usual_ns + step_ns < 0 || usual_ns + step_ns > LATE_USUAL;
    watch->usual_late_ns += is_bound ? 0 : step_ns;
    return late_ns > 2 * usual_ns + LATE_NS;
}

/* Those that have become another program ended, as far as we know, at the look before. */
static void end_replaced(struct watch *watch, int64_t before_ns)
{
    for (size_t i = watch->processes.n; i-- > 0;)
        if (watch->processes.items[i]->memory.is_replaced)
            end_process(watch, watch->processes.items[i], before_ns);
}

void watch_look(struct watch *watch, int64_t now_ns)
{
    if (!watch->has_looks || now_ns < watch->due_ns)
        return;
    bool is_late = woke_late(watch);
    int64_t length_ns = watch->looked_ns ? now_ns - watch->looked_ns : 0;
    int64_t wake_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - watch->used_ns;
    int64_t begin_ns = watch->used_ns + wake_ns;
    struct pace_look look = {.now_ns = now_ns, .is_calm = true};
    watch->looked_ns = now_ns;
    for (size_t i = 0; i < watch->processes.n; i++) {
        struct watched_process *p = watch->processes.items[i];
        if (!p->threads.n || p->is_off)
            continue;
        look_at(p, now_ns, length_ns, is_late);
        look.is_calm = look.is_calm && !is_restless(p);
        look.ran_ns += p->memory.ran_ns;
        look.delayed_ns += p->memory.delayed_ns;
        look.n_turns += p->memory.n_turns;
        p->memory.ran_ns = p->memory.delayed_ns = p->memory.n_turns = 0;
    }
    end_replaced(watch, now_ns - length_ns);
    watch->used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    look.cost_ns = watch->used_ns - begin_ns + (wake_ns < WAKE_MAX_NS ? wake_ns : WAKE_MAX_NS);
    watch->due_ns = now_ns + pace_next_ns(&watch->pace, &look);
    if (watch->has_memory)
        look_at_memory(watch, now_ns);
}

bool watch_blind(struct watch *watch, uint32_t *process)
{
    for (size_t i = 0; watch->has_looks && i < watch->processes.n; i++) {
        struct watched_process *p = watch->processes.items[i];
        if (p->is_asked || !(p->memory.is_blind || p->memory.remote.is_refused))
            continue;
        p->is_asked = true;
        *process = p->number;
        return true;
    }
    return false;
}

bool watch_take(struct watch *watch, uint32_t *process, const struct record_header **record)
{
    return queue_take(&watch->queue, process, record);
}
