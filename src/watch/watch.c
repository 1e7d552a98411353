/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/watch.h"

#include "base/vec.h"
#include "watch/idle.h"

/* Looks come at random moments, so that no rhythm of the target can hide from them; and more and
 * more rarely as long as they find nothing but threads that run. */
#define LOOK_MIN_NS 5000000
#define LOOK_MAX_NS 15000000
#define CALM_MAX    5 /* times as rare at most */
/* Woken later than this we had no CPU ourselves: others ran, and the look says little about idle.
 */
#define LATE_NS 150000
/* A thread that has not run for so many looks is parked; of those only some are looked at each
 * time, for the times of the others are not lost but charged at their next turn. */
#define PARKED_LOOKS 20
#define PARKED_TURNS 32

struct watched_process {
    uint32_t number;
    pid_t pid;
    bool is_over;
    struct watched_memory memory;
    watched_threads threads;
    struct idle idle;
    size_t parked_turn; /* where the next parked threads to be looked at begin */
};

struct watch {
    vec_of(struct watched_process *) processes; /* owns */
    struct queue queue;
    enum burst_access bursts;
    int64_t due_ns, looked_ns;
    int64_t calm; /* how many times rarer than usual looks are now */
    uint64_t random;
};

struct watch *watch_new(void)
{
    struct watch *watch = xrealloc(NULL, sizeof *watch);
    *watch = (struct watch){.calm = 1, .random = 0x9e3779b97f4a7c15ull};
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
    p->idle.window_start_ns = (int64_t)record->time_ns;
    *vec_push(&watch->processes) = p;
}

/* The thread's last CPU time is known: what it ran since the last look goes to the idle window. */
static void see_thread_end(struct watched_process *p, const struct record_thread_end *record)
{
    for (size_t i = 0; i < p->threads.n; i++) {
        struct watched_thread *t = &p->threads.items[i];
        if (t->tid != record->tid)
            continue;
        uint64_t rest_ns = record->cpu_ns > t->times.cpu_ns ? record->cpu_ns - t->times.cpu_ns : 0;
        p->idle.departed_ns += t->window_busy_ns + rest_ns;
        watched_thread_send(t, &p->memory);
        watched_thread_close(t);
        *t = p->threads.items[--p->threads.n];
        return;
    }
}

void watch_see(struct watch *watch, uint32_t process, const struct record_header *record)
{
    struct watched_process *p = find(watch, process);
    if (record->kind == RECORD_PROCESS && !p) {
        see_process(watch, process, (const void *)record);
    } else if (p && record->kind == RECORD_INTERPRETER) {
        p->memory.layout = ((const struct record_interpreter *)(const void *)record)->layout;
        p->memory.has_layout = true;
    } else if (p && record->kind == RECORD_THREAD) {
        watched_thread_open(vec_push(&p->threads), p->pid, (const void *)record);
    } else if (p && record->kind == RECORD_THREAD_END) {
        see_thread_end(p, (const void *)record);
    } else if (p && record->kind == RECORD_END) {
        p->is_over = true;
    }
}

/* ---- looking ---- */

int64_t watch_due_ns(const struct watch *watch)
{
    return watch->processes.n ? watch->due_ns : 0;
}

static int64_t random_pause_ns(struct watch *watch)
{
    watch->random ^= watch->random << 13;
    watch->random ^= watch->random >> 7;
    watch->random ^= watch->random << 17;
    int64_t once_ns = LOOK_MIN_NS + (int64_t)(watch->random % (LOOK_MAX_NS - LOOK_MIN_NS));
    return watch->calm * once_ns;
}

static size_t count_parked(const struct watched_process *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->threads.n; i++)
        n += p->threads.items[i].n_same > PARKED_LOOKS;
    return n;
}

/* A thread that waits, or has waited at all since it was last seen to, is worth a closer look. */
static bool has_waits(const struct watched_process *p)
{
    for (size_t i = 0; i < p->threads.n; i++) {
        const struct watched_thread *t = &p->threads.items[i];
        if (!t->is_gone && t->n_same <= PARKED_LOOKS &&
            (!t->is_running || t->pending_ns > LOOK_MIN_NS / 10))
            return true;
    }
    return false;
}

static void look_at(struct watched_process *p, int64_t now_ns, int64_t length_ns)
{
    size_t n_parked = count_parked(p), turn = 0;
    bool is_everyone = n_parked <= PARKED_TURNS;
    for (size_t i = 0; i < p->threads.n; i++) {
        struct watched_thread *t = &p->threads.items[i];
        if (!is_everyone && t->n_same > PARKED_LOOKS) {
            size_t distance = (turn++ + n_parked - p->parked_turn) % n_parked;
            if (distance >= PARKED_TURNS)
                continue;
        }
        if (!t->is_gone)
            watched_thread_look(t, &p->memory, now_ns);
    }
    if (!is_everyone)
        p->parked_turn = (p->parked_turn + PARKED_TURNS) % n_parked;
    idle_look(&p->idle, &p->threads, &p->memory, now_ns, length_ns);
}

/* The process is gone: what is left to say is said. */
static void end_process(struct watch *watch, size_t i, int64_t now_ns)
{
    struct watched_process *p = watch->processes.items[i];
    idle_settle(&p->idle, &p->threads, &p->memory, now_ns);
    process_free(p);
    watch->processes.items[i] = watch->processes.items[--watch->processes.n];
}

void watch_look(struct watch *watch, int64_t now_ns)
{
    if (now_ns < watch->due_ns)
        return;
    bool is_late = now_ns - watch->due_ns > LATE_NS, is_calm = true;
    int64_t length_ns = is_late ? 0 : now_ns - watch->looked_ns;
    watch->looked_ns = now_ns;
    for (size_t i = 0; i < watch->processes.n; i++) {
        struct watched_process *p = watch->processes.items[i];
        if (p->is_over) {
            end_process(watch, i--, now_ns);
        } else if (p->threads.n) {
            look_at(p, now_ns, length_ns);
            is_calm = is_calm && !has_waits(p);
        }
    }
    watch->calm = !is_calm ? 1 : watch->calm < CALM_MAX ? watch->calm + 1 : CALM_MAX;
    watch->due_ns = now_ns + random_pause_ns(watch);
}

bool watch_take(struct watch *watch, uint32_t *process, const struct record_header **record)
{
    return queue_take(&watch->queue, process, record);
}
