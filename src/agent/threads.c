/* SPDX-License-Identifier: Apache-2.0 */
/* Arms a timer for every thread and tells the ring when threads begin and end.
 *
 * Synchronization: a slot belongs to the thread whose number stands at its place in `tids`; it is
 * claimed by swapping that in and given back by storing 0. threads_end reads the slots of living
 * threads, which change only when they are claimed. */
#include "agent/threads.h"

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/control.h"
#include "agent/countdown.h"
#include "agent/file.h"
#include "agent/names.h"
#include "agent/origin.h"
#include "agent/real.h"
#include "agent/signals.h"
#include "agent/tail.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

#define SLOTS      4096u
#define PROBES_MAX 256u
#define NOTES      1024u
#define DELAY_NS   500000u /* who did not run for so long is asked whether it wanted to */
/* Samples from which on a thread is old. The error shrinks with the root of their number only: the
 * first hundreds tell the most, and whoever runs for long pays less for each second. */
#define OLD_SAMPLES 768u

struct slot {
    uint32_t generation; /* of the process that armed it: timers do not survive a fork */
    int timer;           /* -1: none */
    uint32_t creator_tid;
    uint64_t ident, start_ns, start_cpu_ns;
    uint32_t start_delay_us;
    uint32_t n_samples; /* up to OLD_SAMPLES */
    bool is_main, is_sent, tells_delay;
    struct thread_clock clock;
    struct thread_name name;
};

static struct slot slots[SLOTS];
/* Apart from the slots, so that whoever looks for the few that are taken reads 16 KB, not 700, as
 * every switch of measuring does. 0: free. */
static _Atomic uint32_t tids[SLOTS];
static pthread_key_t end_key;
static bool has_end_key;
static bool is_simulated; /* by valgrind; constant after boot */

static uint32_t this_tid(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

static struct slot *slot_claim(uint32_t tid)
{
    uint32_t at = tid * 0x9e3779b9u >> 20;
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        unsigned number = (at + i) % SLOTS;
        struct slot *slot = &slots[number];
        uint32_t holder = atomic_load_explicit(&tids[number], memory_order_acquire);
        bool is_free = holder == 0 || holder == tid || slot->generation != agent.generation;
        if (is_free &&
            atomic_compare_exchange_strong_explicit(&tids[number], &holder, tid,
                                                    memory_order_acq_rel, memory_order_relaxed)) {
            slot->generation = agent.generation;
            return slot;
        }
    }
    return NULL;
}

static struct slot *slot_find(uint32_t tid)
{
    uint32_t at = tid * 0x9e3779b9u >> 20;
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        unsigned number = (at + i) % SLOTS;
        if (atomic_load_explicit(&tids[number], memory_order_acquire) == tid &&
            slots[number].generation == agent.generation)
            return &slots[number];
    }
    return NULL;
}

/* ---- the timer ---- */

/* By system calls: the libc's functions know neither other threads' clocks nor signal handlers. */
static void timer_set(const struct slot *slot, uint32_t first_ns)
{
    bool is_old = slot->n_samples == OLD_SAMPLES;
    uint32_t period_ns = is_old ? agent.control->old_period_ns : agent.control->period_ns;
    struct itimerspec when = {
        .it_interval = {.tv_sec = period_ns / 1000000000u, .tv_nsec = period_ns % 1000000000u},
        .it_value = {.tv_sec = first_ns / 1000000000u, .tv_nsec = first_ns % 1000000000u}};
    syscall(SYS_timer_settime, slot->timer, 0, &when, NULL);
}

static void timer_arm(struct slot *slot, uint32_t tid)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = signals_tick_number(),
                             .sigev_value.sival_ptr = signals_cookie()};
    event._sigev_un._tid = (pid_t)tid;
    if (syscall(SYS_timer_create, clock_of_thread(tid), &event, &slot->timer) != 0) {
        agent_count(COUNTER_NO_TIMER, 1);
        slot->timer = -1;
        return;
    }
    /* The first tick as soon as the thread has run at all, so that short threads are seen. */
    timer_set(slot, 1);
}

static void timer_slow_down(struct slot *slot)
{
    if (agent.control->old_period_ns != agent.control->period_ns && slot->timer >= 0)
        timer_set(slot, agent.control->old_period_ns);
}

/* ---- beginning and end ---- */

/* How long this thread could have run but had no CPU, by the kernel's account; 0: not to be known.
 * By system calls: the libc's are places where a thread may be cancelled. */
static uint32_t delay_us(void)
{
    char text[96] = {0};
    int fd = file_open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    file_read(fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    const char *at = text + strcspn(text, " ");
    uint64_t ns = 0;
    for (at += *at == ' '; *at >= '0' && *at <= '9'; at++)
        ns = ns * 10 + (uint64_t)(*at - '0');
    return ns / 1000 < UINT32_MAX ? (uint32_t)(ns / 1000) : UINT32_MAX;
}

static void slot_send(struct slot *slot, uint32_t tid)
{
    struct record_thread *record = ring_reserve(&agent.ring, sizeof *record);
    if (!record) {
        agent_count(COUNTER_DROPPED_RING_FULL, 1);
        return;
    }
    record->time_ns = slot->start_ns;
    record->cpu_ns = slot->start_cpu_ns;
    record->ident = slot->ident;
    record->tid = tid;
    record->creator_tid = slot->creator_tid;
    record->delay_us = slot->start_delay_us;
    record->unused = 0;
    ring_finish(record, RECORD_THREAD,
                (slot->is_main ? THREAD_IS_MAIN : 0) | (is_simulated ? 0 : THREAD_TAKES_TRAPS) |
                    (slot->tells_delay ? THREAD_TELLS_DELAY : 0),
                sizeof *record);
    slot->is_sent = true;
    names_send(&slot->name, tid);
    agent_count(COUNTER_THREADS, 1);
}

/* Keeps a thread in mind; while measuring is off that is all. */
static struct slot *note_thread(uint32_t tid, uint64_t ident, uint32_t creator_tid, bool is_main)
{
    struct slot *slot = slot_claim(tid);
    if (!slot) {
        agent_count(COUNTER_NO_TIMER, 1);
        return NULL;
    }
    slot->ident = ident;
    slot->creator_tid = creator_tid;
    slot->is_main = is_main;
    slot->is_sent = false;
    slot->start_ns = 0; /* not measured yet */
    slot->start_delay_us = 0;
    slot->n_samples = 0;
    slot->tells_delay = false;
    slot->timer = -1;
    slot->name = (struct thread_name){0};
    return slot;
}

/* A thread whose clock showed so much when its time became ours. */
static void measure_from(struct slot *slot, uint32_t tid, uint64_t cpu_ns)
{
    slot->start_ns = clock_now_ns();
    slot->start_cpu_ns = cpu_ns;
    control_begin_thread(&slot->clock, slot->start_ns, slot->start_cpu_ns);
    if (agent.ring.header)
        slot_send(slot, tid);
    timer_arm(slot, tid);
}

static void measure(struct slot *slot, uint32_t tid)
{
    if (slot)
        measure_from(slot, tid, clock_read_ns(clock_of_thread(tid)));
}

/* Its clock as it stands, and what it is still going to use after that, if it is ending. */
static void send_end(struct slot *slot, uint32_t tid, uint64_t cpu_ns, uint64_t rest_ns)
{
    if (!agent.ring.header || !slot->is_sent)
        return;
    struct record_thread_end *record = cpu_ns ? ring_reserve(&agent.ring, sizeof *record) : NULL;
    if (!record) {
        agent_count(COUNTER_DROPPED_RING_FULL, cpu_ns != 0);
        return;
    }
    record->time_ns = clock_now_ns();
    record->cpu_ns = control_measured_ns(&slot->clock, cpu_ns);
    record->away_ns = cpu_ns - record->cpu_ns;
    record->cpu_ns += rest_ns;
    record->tid = tid;
    /* Only of itself, and only if it has not run nearly all the time: asking takes 7 us. */
    uint64_t ran_ns = cpu_ns - slot->start_cpu_ns, lived_ns = record->time_ns - slot->start_ns;
    record->delay_us = tid == this_tid() && lived_ns > ran_ns + DELAY_NS ? delay_us() : 0;
    ring_finish(record, RECORD_THREAD_END, 0, sizeof *record);
}

/* Runs as the destructor of a thread's key, in the thread that ends. */
static void end_this_thread(void *unused)
{
    (void)unused;
    countdown_publish();
    uint32_t tid = this_tid();
    struct slot *slot = slot_find(tid);
    if (!slot)
        return;
    if (slot->timer >= 0)
        syscall(SYS_timer_delete, slot->timer);
    slot->timer = -1;
    uint64_t cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    tail_begin();
    uint64_t rest_ns = tail_take_ns();
    if (agent_enter()) {
        send_end(slot, tid, cpu_ns, control_is_off() ? 0 : rest_ns);
        agent_leave();
    }
    atomic_store_explicit(&tids[slot - slots], 0, memory_order_release);
    tail_end(cpu_ns);
}

void threads_send(void)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        uint32_t tid = atomic_load_explicit(&tids[i], memory_order_acquire);
        if (tid && slots[i].generation == agent.generation && slots[i].start_ns &&
            !slots[i].is_sent)
            slot_send(&slots[i], tid);
    }
}

void threads_end(void)
{
    if (!agent.ring.header)
        return; /* a forked child that was too short for a sample */
    for (unsigned i = 0; i < SLOTS; i++) {
        uint32_t tid = atomic_load_explicit(&tids[i], memory_order_acquire);
        if (tid && slots[i].generation == agent.generation)
            send_end(&slots[i], tid, clock_read_ns(clock_of_thread(tid)), 0);
    }
}

uint64_t threads_tick(uint32_t tid, uint64_t now_ns, uint64_t cpu_ns)
{
    struct slot *slot = slot_find(tid);
    if (!slot)
        return cpu_ns;
    atomic_store_explicit(&slot->clock.tick_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&slot->clock.tick_cpu_ns, cpu_ns, memory_order_relaxed);
    if (slot->n_samples < OLD_SAMPLES && ++slot->n_samples == OLD_SAMPLES)
        timer_slow_down(slot);
    return control_measured_ns(&slot->clock, cpu_ns);
}

void threads_each(void (*f)(void *context, uint32_t tid, struct thread_clock *clock), void *context)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        uint32_t tid = atomic_load_explicit(&tids[i], memory_order_acquire);
        if (tid && slots[i].generation == agent.generation && slots[i].start_ns)
            f(context, tid, &slots[i].clock);
    }
}

bool threads_has(uint32_t tid)
{
    return slot_find(tid) != NULL;
}

void threads_stop(void)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (slots[i].generation != agent.generation || slots[i].timer < 0 || !slots[i].start_ns)
            continue;
        syscall(SYS_timer_delete, slots[i].timer);
        slots[i].timer = -1;
    }
}

void threads_after_fork(void)
{
    uint32_t tid = this_tid();
    tail_after_fork();
    measure(note_thread(tid, (uint64_t)pthread_self(), 0, true), tid);
}

/* ---- threads that are there already ---- */

/* Valgrind runs the program on a CPU of its own making, and dies of traps that the kernel sends to
 * the real one. It answers to a sequence of instructions that do nothing elsewhere: is this
 * valgrind? */
static bool ask_valgrind(void)
{
    uint64_t question[6] = {0x1001}, answer = 0;
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(question)
                     : "cc", "memory");
    return answer != 0;
}

void threads_prepare(void)
{
    is_simulated = ask_valgrind();
    if (!has_end_key)
        has_end_key = pthread_key_create(&end_key, end_this_thread) == 0;
}

struct linux_dirent64 {
    uint64_t inode;
    int64_t offset;
    uint16_t n_bytes;
    uint8_t type;
    char name[];
};

static uint32_t number_of(const char *name)
{
    uint32_t number = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        number = number * 10 + (uint32_t)(*name - '0');
    return number;
}

static const struct threads_ident *idents;
static size_t n_idents;

void threads_name(const struct threads_ident *list, size_t n)
{
    idents = list;
    n_idents = n;
}

static uint64_t ident_of(uint32_t tid)
{
    for (size_t i = 0; i < n_idents; i++)
        if (idents[i].tid == tid)
            return idents[i].ident;
    return 0;
}

static void start_others(uint32_t self)
{
    char buffer[2048] __attribute__((aligned(8)));
    long n;
    int fd = file_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    while ((n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n;) {
            const struct linux_dirent64 *entry = (const void *)(buffer + at);
            uint32_t tid = number_of(entry->name);
            struct slot *known = slot_find(tid);
            if (tid && tid != self)
                measure(known ? known : note_thread(tid, ident_of(tid), 0, tid == agent.pid), tid);
            at += entry->n_bytes;
        }
    close(fd);
}

void threads_start(void)
{
    uint32_t self = this_tid();
    struct slot *own = note_thread(self, (uint64_t)pthread_self(), 0, self == agent.pid);
    if (own) {
        own->start_delay_us = delay_us();
        own->tells_delay = own->start_delay_us != 0;
    }
    measure(own, self);
    start_others(self);
    tail_start();
}

/* ---- threads to come ---- */

/* What a new thread must know, from its creator to itself. */
struct note {
    _Atomic bool is_taken;
    void *(*start)(void *);
    void *argument;
    uint32_t creator_tid;
    bool tick_is_blocked;
    struct thread_name name;
    struct origin origin;
};
static struct note notes[NOTES];

static struct note *note_take(void)
{
    for (unsigned i = 0; i < NOTES; i++)
        if (!atomic_load_explicit(&notes[i].is_taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&notes[i].is_taken, true, memory_order_acquire))
            return &notes[i];
    return NULL;
}

static void *thread_main(void *argument)
{
    struct note *shared = argument, note;
    note.start = shared->start;
    note.argument = shared->argument;
    note.creator_tid = shared->creator_tid;
    note.tick_is_blocked = shared->tick_is_blocked;
    note.name = shared->name;
    origin_begin(&shared->origin);
    atomic_store_explicit(&shared->is_taken, false, memory_order_release);
    signals_set_tick_blocked(note.tick_is_blocked);
    if (has_end_key)
        pthread_setspecific(end_key, &end_key);
    uint32_t tid = this_tid();
    struct slot *slot = note_thread(tid, (uint64_t)pthread_self(), note.creator_tid, false);
    if (slot)
        slot->name = note.name;
    /* What it took the kernel and the libc to begin it is its own time, too. */
    if (slot && agent_enter()) {
        measure_from(slot, tid, 0);
        agent_leave();
    }
    return note.start(note.argument);
}

AGENT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                void *(*start)(void *), void *argument)
{
    struct note *note = agent.control ? note_take() : NULL;
    if (!note)
        return real_ready()->pthread_create(thread, attributes, start, argument);
    note->start = start;
    note->argument = argument;
    note->creator_tid = this_tid();
    note->tick_is_blocked = signals_tick_is_blocked();
    names_find(&note->name, argument);
    note->origin = origin_here();
    int rc = real.pthread_create(thread, attributes, thread_main, note);
    if (rc != 0)
        atomic_store_explicit(&note->is_taken, false, memory_order_release);
    return rc;
}

/* A name that Python did not give. It is at most 15 bytes long there; Python's is kept whole. */
AGENT_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    int rc = real_ready()->pthread_setname_np(thread, name);
    bool is_on = atomic_load_explicit(&agent.is_on, memory_order_acquire) && agent.ring.header;
    for (unsigned i = 0; rc == 0 && is_on && i < SLOTS; i++) {
        uint32_t tid = atomic_load_explicit(&tids[i], memory_order_acquire);
        if (!tid || slots[i].ident != (uint64_t)thread || slots[i].generation != agent.generation)
            continue;
        if (!slots[i].name.is_python || !slots[i].name.text.width) {
            names_set(&slots[i].name, name);
            names_send(&slots[i].name, tid);
        }
        break;
    }
    return rc;
}
