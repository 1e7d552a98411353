/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/thread.h"

#include <errno.h>
#include <string.h>

/* The kernel books the CPU time of a running thread a tick late: less than that need not be a wait.
 */
#define UNSEEN_NS          5000000
#define PARKED_LOOKS       20
#define PARKED_LOOKS_FRESH 1
#define SEND_NS            500000000u /* a long wait is sent in pieces, so that a dump has it */
#define LOOSE_NS           1000000000 /* by fewer votes, what is seldom seen would count for less */
#define VOTES_MAX          64

void watched_thread_open(struct watched_thread *thread, pid_t pid, uint32_t seen_tid,
                         const struct record_thread *record)
{
    *thread = (struct watched_thread){.tid = record->tid,
                                      .seen_tid = seen_tid,
                                      .ident = record->ident,
                                      .is_main = record->head.flags & THREAD_IS_MAIN,
                                      .takes_traps = record->head.flags & THREAD_TAKES_TRAPS,
                                      .is_running = true,
                                      .wait = {.tid = record->tid},
                                      .looked_ns = (int64_t)record->time_ns,
                                      .times = {.cpu_ns = record->cpu_ns}};
    bool is_known = record->creator_tid || record->head.flags & THREAD_TELLS_DELAY;
    thread->times.delay_ns = is_known ? (uint64_t)record->delay_us * 1000 : UINT64_MAX;
    struct proc_times times;
    burst_init(&thread->burst);
    proc_open(&thread->proc, pid, seen_tid);
    /* What it was delayed before is not ours, unless it has only just been started: by whom is
     * known of those. What it ran since is ours. */
    if (proc_times(&thread->proc, &times)) {
        if (!is_known)
            thread->times.delay_ns = times.delay_ns;
        thread->times.n_turns = times.n_turns;
    }
}

void watched_thread_close(struct watched_thread *thread)
{
    burst_fini(&thread->burst);
    proc_close(&thread->proc);
    vec_fini(&thread->votes);
}

struct record_wait *watched_record(struct watched_memory *memory, enum record_kind kind,
                                   const struct stack *stack)
{
    uint32_t frames_bytes = stack->n * (uint32_t)sizeof *stack->frames;
    struct record_wait *record =
        queue_push(memory->queue, memory->process, kind, (uint32_t)sizeof *record + frames_bytes);
    record->head.flags = memory->remote.is_refused || memory->is_blind ? WAIT_IS_BLIND : 0;
    record->n_frames = (uint16_t)stack->n;
    memcpy(record + 1, stack->frames, frames_bytes);
    return record;
}

static void send(struct watched_memory *memory, const struct vote *vote, uint64_t wait_ns)
{
    struct record_wait *record = watched_record(memory, RECORD_WAIT, &vote->stack);
    record->time_ns = (uint64_t)vote->seen_ns;
    record->wait_ns = wait_ns;
    record->tid = vote->tid;
    record->holder_ident = vote->kind == WAIT_GIL ? vote->holder_ident : 0;
    record->n_looks = vote->n_looks;
    record->kind = (uint8_t)vote->kind;
}

/* What is known to belong to the wait the thread is in. */
static void send_charged(struct watched_thread *t, struct watched_memory *memory)
{
    t->wait.n_looks = t->n_looks;
    if (t->charged_ns && !memory->is_told)
        send(memory, &t->wait, t->charged_ns);
    t->charged_ns = 0;
    t->n_looks = 0;
}

static void send_starved(struct watched_thread *t, struct watched_memory *memory)
{
    /* Where it was when it lost its CPU only its samples know. */
    const struct vote nowhere = {
        .tid = t->tid, .kind = WAIT_STARVED, .seen_ns = t->looked_ns, .n_looks = 1};
    if (t->starved_ns)
        send(memory, &nowhere, t->starved_ns);
    t->starved_ns = 0;
}

static void vote(struct watched_thread *t, double weight, uint32_t n_looks)
{
    votes_add(&t->votes, &t->wait, weight, n_looks);
}

static void send_loose(struct watched_thread *t, struct watched_memory *memory)
{
    double weight = votes_weight(&t->votes);
    if (t->loose_ns > 0 && weight > 0) {
        for (size_t i = 0; i < t->votes.n && !memory->is_told; i++) {
            const struct vote *vote = &t->votes.items[i];
            send(memory, vote, (uint64_t)((double)t->loose_ns * vote->weight / weight));
        }
        t->loose_ns = 0;
    }
    vec_fini(&t->votes);
}

void watched_thread_send(struct watched_thread *t, struct watched_memory *memory)
{
    send_charged(t, memory);
    send_starved(t, memory);
    /* Without a vote it may be anywhere: where it waited before. */
    if (t->loose_ns > 0 && t->votes.n == 0 && t->wait.stack.n)
        vote(t, 1, 1);
    send_loose(t, memory);
}

/* The GIL's record says which state holds it, and that state which thread. */
static uint64_t gil_holder(struct watched_memory *memory)
{
    struct memory m = remote_memory(&memory->remote);
    uint64_t gil = memory->layout.gil;
    uint64_t holder = memory_word(&m, gil + GIL_HOLDER);
    if ((uint32_t)memory_word(&m, gil + GIL_LOCKED) != 1 || !holder)
        return 0;
    return memory_word(&m, holder + (uint64_t)memory->layout.tstate_thread_id);
}

/* Another program, started by exec, has the number of the process, but not our agent's memory. A
 * process that is gone has become nothing else. */
static bool is_own_image(struct watched_memory *memory)
{
    uint64_t cookie = 0;
    errno = 0;
    bool is_read = remote_read(&memory->remote, memory->cookie_at, &cookie, sizeof cookie);
    memory->is_replaced = is_read ? cookie != PERF_COOKIE : errno == EFAULT;
    return !memory->is_replaced;
}

/* What the thread waits for, and where. False: it runs, or ran while we looked. */
static bool see_wait(struct watched_thread *t, struct watched_memory *memory)
{
    struct proc_block block;
    struct proc_times again;
    struct vote seen = {.tid = t->tid, .seen_ns = t->looked_ns};
    bool is_told = proc_block(&t->proc, &block);
    memory->is_blind |= !is_told;
    if (is_told ? block.is_running : t->has_run)
        return false; /* a thread that may not be asked waits if it has not run since */
    if (memory->has_layout) {
        stack_read(&seen.stack, &memory->remote, &t->pages, &memory->layout, t->ident,
                   &memory->codes, memory->queue, memory->process);
        if (!seen.stack.n && !memory->remote.is_refused && !is_own_image(memory))
            return false;
        uint64_t gil = memory->layout.gil;
        if (block.kind == WAIT_LOCK && gil && block.futex - gil < GIL_BYTES) {
            block.kind = WAIT_GIL;
            seen.holder_ident = gil_holder(memory);
        }
    }
    if (!proc_times(&t->proc, &again) || again.cpu_ns != t->times.cpu_ns ||
        again.n_turns != t->times.n_turns)
        return false;
    seen.kind = block.kind;
    if (!vote_is_same(&t->wait, &seen))
        send_charged(t, memory);
    t->wait = seen;
    return true;
}

/* Takes out what passed while measuring was off. Of the delay nothing is known but the whole. */
static void leave_away_out(struct watched_thread *t, uint64_t *wall_ns, uint64_t *cpu_ns,
                           uint64_t *delay_ns)
{
    uint64_t away_ns = (uint64_t)t->away_wall_ns;
    away_ns = away_ns < *wall_ns ? away_ns : *wall_ns;
    *delay_ns = (uint64_t)((double)*delay_ns * (double)(*wall_ns - away_ns) / (double)*wall_ns);
    *wall_ns -= away_ns;
    *cpu_ns -= t->away_cpu_ns < *cpu_ns ? t->away_cpu_ns : *cpu_ns;
    t->away_wall_ns = 0;
    t->away_cpu_ns = 0;
}

/* What a thread did between two looks. */
struct turn {
    uint64_t wall_ns, busy_ns; /* busy: ran or wanted to, by the kernel's books */
    int64_t off_ns;            /* waited: what is left */
};

/* Times since the last look. What it neither ran nor wanted to run, it waited. */
static bool take_times(struct watched_thread *t, struct watched_memory *memory, int64_t now_ns,
                       struct turn *turn)
{
    struct proc_times now;
    if (!proc_times(&t->proc, &now))
        return false;
    uint64_t wall_ns = (uint64_t)(now_ns - t->looked_ns);
    uint64_t cpu_ns = now.cpu_ns - t->times.cpu_ns, delay_ns = now.delay_ns - t->times.delay_ns;
    t->has_run = cpu_ns != 0 || now.n_turns != t->times.n_turns;
    if (t->away_wall_ns)
        leave_away_out(t, &wall_ns, &cpu_ns, &delay_ns);
    /* The kernel books CPU and delay late, so that a single step may be too long or too short. */
    t->starved_ns += delay_ns;
    *turn = (struct turn){wall_ns, cpu_ns + delay_ns, (int64_t)(wall_ns - cpu_ns - delay_ns)};
    memory->ran_ns += (int64_t)cpu_ns;
    memory->delayed_ns += (int64_t)delay_ns;
    memory->n_turns += (int64_t)(now.n_turns - t->times.n_turns);
    if (t->takes_traps) {
        struct burst_target target = {&memory->remote, memory->cookie_at, t->seen_tid};
        burst_look(&t->burst, memory->bursts, &target, &t->times, &now, (int64_t)wall_ns);
    }
    t->times = now;
    t->looked_ns = now_ns;
    return true;
}

/* It has waited at this one place. */
static void charge(struct watched_thread *t, int64_t off_ns)
{
    if (off_ns <= 0)
        return;
    t->charged_ns += (uint64_t)off_ns;
    t->n_looks++;
}

bool watched_thread_is_parked(const struct watched_thread *t, bool is_crowded)
{
    bool is_fresh = t->n_ran <= 1; /* the first look finds that it has begun */
    return t->n_same > (is_crowded && is_fresh ? PARKED_LOOKS_FRESH : PARKED_LOOKS);
}

/* It has not run, but could: it waits for a CPU only. */
static bool is_woken(const struct watched_thread *t)
{
    struct proc_block block;
    return proc_block(&t->proc, &block) && block.is_running;
}

/* It has run since the look before: what it waited meanwhile, if anything, is shared out later, and
 * each of the two looks has a vote. */
static void look_again(struct watched_thread *t, struct watched_memory *memory,
                       const struct turn *turn)
{
    double half_ns = (double)turn->wall_ns / 2;
    t->n_ran += t->has_run;
    t->n_same = 0;
    t->loose_ns += turn->off_ns;
    if (!t->is_running)
        vote(t, half_ns, 0);
    t->is_running = !see_wait(t, memory);
    if (!t->is_running)
        vote(t, half_ns, 1);
    if (memory->is_replaced)
        t->loose_ns -= turn->off_ns; /* it may have been the other program that waited */
}

/* Waits that are too short to be told from the kernel's late books add up. */
static void note_unrest(struct watched_thread *t, const struct turn *turn)
{
    if (t->has_run)
        t->unrest_ns += turn->off_ns;
    t->is_restless = t->unrest_ns > UNSEEN_NS;
    if (t->is_restless)
        t->unrest_ns = 0;
}

/* The kernel books how long a thread has no CPU when it gets one; who wanted to run at both looks
 * and did not run at all has wanted to in between. */
static void add_busy(struct watched_thread *t, const struct turn *turn, bool was_running)
{
    if (was_running && t->is_running && !t->has_run) {
        t->busy_ns += (int64_t)turn->wall_ns;
        t->ahead_ns += (int64_t)turn->wall_ns;
    } else {
        t->busy_ns += (int64_t)turn->busy_ns - t->ahead_ns;
        t->ahead_ns = 0;
    }
}

void watched_thread_look(struct watched_thread *t, struct watched_memory *memory, int64_t now_ns)
{
    struct turn turn;
    bool was_running = t->is_running;
    if (now_ns <= t->looked_ns)
        return; /* it has begun only since */
    if (!take_times(t, memory, now_ns, &turn)) {
        watched_thread_send(t, memory);
        watched_thread_close(t);
        t->is_gone = true;
        return;
    }
    note_unrest(t, &turn);
    if (t->has_run || t->is_running) {
        look_again(t, memory, &turn);
    } else {
        charge(t, turn.off_ns);
        t->wait.seen_ns = now_ns;
        t->is_running = t->n_same++ < PARKED_LOOKS && is_woken(t);
        t->n_same = t->is_running ? 0 : t->n_same;
    }
    add_busy(t, &turn, was_running);
    if (t->charged_ns > SEND_NS)
        send_charged(t, memory);
    if (t->starved_ns > SEND_NS)
        send_starved(t, memory);
    if (t->loose_ns > LOOSE_NS || t->votes.n >= VOTES_MAX)
        send_loose(t, memory);
}

void watched_thread_off(struct watched_thread *t, int64_t time_ns, uint64_t cpu_ns)
{
    int64_t wall_ns = time_ns - t->looked_ns - t->away_wall_ns;
    uint64_t before_ns = t->times.cpu_ns + t->away_cpu_ns;
    t->off_cpu_ns = cpu_ns;
    burst_fini(&t->burst);
    /* Whoever was seen to wait has waited since, but for what it ran. */
    if (!t->is_gone && !t->is_running && wall_ns > 0 && cpu_ns <= before_ns) {
        charge(t, wall_ns);
        t->away_wall_ns += wall_ns;
    }
}

void watched_thread_on(struct watched_thread *t, int64_t off_ns, uint64_t cpu_ns)
{
    t->away_wall_ns += off_ns;
    t->away_cpu_ns += cpu_ns > t->off_cpu_ns ? cpu_ns - t->off_cpu_ns : 0;
}

void watched_thread_begins_off(struct watched_thread *t, int64_t off_ns)
{
    t->off_cpu_ns = t->times.cpu_ns;
    t->away_wall_ns = off_ns - t->looked_ns; /* what watched_thread_on adds too much */
}

bool watched_thread_cpu(const struct watched_thread *t, uint64_t *cpu_ns)
{
    struct proc_times now;
    if (t->is_gone || !proc_times(&t->proc, &now))
        return false;
    *cpu_ns = now.cpu_ns;
    return true;
}

static uint64_t above(uint64_t value, uint64_t base)
{
    return value > base ? value - base : 0;
}

void watched_thread_finish(struct watched_thread *t, const struct record_thread_end *record)
{
    uint64_t wall_ns = above(record->time_ns, (uint64_t)t->looked_ns);
    uint64_t cpu_ns = above(record->cpu_ns + record->away_ns, t->times.cpu_ns);
    uint64_t delay_ns = above((uint64_t)record->delay_us * 1000, t->times.delay_ns);
    if (t->away_wall_ns && wall_ns)
        leave_away_out(t, &wall_ns, &cpu_ns, &delay_ns);
    /* Who was seen to run has waited since only as far as it is known not to have been delayed;
     * where is anybody's guess. */
    bool has_waited = !t->is_running || (record->delay_us && t->wait.stack.n);
    if (has_waited && wall_ns > cpu_ns + delay_ns)
        t->loose_ns += (int64_t)(wall_ns - cpu_ns - delay_ns);
    if (!t->is_running)
        vote(t, (double)wall_ns / 2, 1);
    t->has_run = true;
    t->starved_ns += delay_ns;
    add_busy(t, &(struct turn){wall_ns, cpu_ns + delay_ns, 0}, false);
}
