/* SPDX-License-Identifier: Apache-2.0 */
/* The collector's loop: rounds over all rings, sleeping and looking after the program in between.
 *
 * The rings are shared memory that outlives the target, so however it dies, what it had written is
 * still there to be read. Nothing here waits for the target's cooperation. */
#include "collect/collect.h"

#include "collect/launch.h"
#include "collect/recording.h"
#include "collect/rings.h"
#include "collect/run_record.h"
#include "watch/watch.h"

#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A round every tenth of a second bounds what a crash of ours could lose; more often while a ring
 * fills fast, so that it never gets full. */
#define ROUND_NS         (100ll * 1000 * 1000)
#define HURRIED_ROUND_NS (25ll * 1000 * 1000)
/* How long descendants that outlive the program are waited for. */
#define GRACE_NS (2000ll * 1000 * 1000)

enum stage { STAGE_FIRST, STAGE_RUNNING, STAGE_OVER };

struct collect {
    enum stage stage;
    bool is_replay;
    struct arena arena;
    const struct record_header *run; /* in the arena; yielded first */

    struct signals signals;
    struct folder folder;
    struct rings rings;
    struct watch *watch; /* owns; NULL: a recording is replayed */
    pid_t pid;
    bool is_followed;       /* the program is not our child: it runs without us */
    struct process process; /* then, whether it lives */
    bool is_ended;          /* the program: waited for, its pid may belong to another process now */
    int wait_status;
    uint64_t cpu_ns;      /* of the program, once it has ended */
    int64_t asked_ns;     /* when it was last asked what has become of the program */
    int64_t grace_end_ns; /* when descendants are not waited for any longer */

    struct collect_pause pause;
    enum control_request pending; /* a request that the pause answers */
    bool is_settled;              /* all is said for the pause */

    struct recording recording; /* what is read, or written beside; file NULL: neither */
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct collect *collect_new(void)
{
    struct collect *c = xrealloc(NULL, sizeof *c);
    *c = (struct collect){0};
    c->signals.fd = -1;
    c->folder.fd = c->folder.control_fd = -1;
    c->process.fd = -1;
    return c;
}

/* All but the program itself. */
static bool prepare(struct collect *c, const struct collect_launch *launch_, struct err *e)
{
    uint32_t ring_bytes = launch_->ring_bytes ? launch_->ring_bytes : COLLECT_RING_BYTES;
    c->run = run_record(&c->arena, &launch_->run);
    if (!folder_open(&c->folder, launch_->agent_path, launch_->period_ns, ring_bytes, e))
        return false;
    c->folder.control->old_period_ns =
        launch_->old_period_ns ? launch_->old_period_ns : launch_->period_ns;
    c->folder.control->memory_mean = launch_->run.memory_mean;
    c->folder.control->is_mean_fixed = launch_->run.is_mean_fixed;
    c->folder.control->is_off = c->folder.control->begins_off = launch_->is_off;
    c->folder.control->waits = launch_->is_watched ? watch_access() : WAITS_NOT_WANTED;
    c->folder.control->gives_profile = launch_->gives_profile;
    c->pause = launch_->pause;
    rings_open(&c->rings, &c->folder);
    if (launch_->record_path && !recording_create(&c->recording, launch_->record_path, e))
        return false;
    if (!signals_open(&c->signals, e))
        return false;
    c->watch = watch_new(&(struct watch_wish){.has_looks = launch_->is_watched,
                                              .has_memory = launch_->run.memory_mean > 0,
                                              .period_ns = launch_->period_ns});
    return true;
}

bool collect_start(struct collect **collect, const struct collect_launch *launch_, struct err *e)
{
    struct collect *c = collect_new();
    bool is_started = prepare(c, launch_, e);
    const char *preload = launch_->agent_path && is_started ? c->folder.control->agent_path : NULL;
    is_started =
        is_started && launch(&c->pid, launch_->argv, preload, c->folder.path, &c->signals, e);
    if (!is_started) {
        collect_close(c);
        return false;
    }
    rings_begin_round(&c->rings, false);
    *collect = c;
    return true;
}

bool collect_follow(struct collect **collect, pid_t pid, const struct collect_launch *launch_,
                    struct err *e)
{
    struct collect *c = collect_new();
    if (!prepare(c, launch_, e)) {
        collect_close(c);
        return false;
    }
    c->pid = pid;
    c->is_followed = true;
    process_open(&c->process, pid);
    rings_begin_round(&c->rings, false);
    *collect = c;
    return true;
}

const char *collect_folder(const struct collect *c)
{
    return c->folder.path;
}

bool collect_replay(struct collect **collect, const char *path, struct err *e)
{
    struct collect *c = collect_new();
    c->is_replay = true;
    *collect = c;
    if (recording_open(&c->recording, path, e))
        return true;
    collect_close(c);
    return false;
}

/* Waits for the program. While it is a zombie its own CPU clock can still be read; wait4's figure,
 * which has its children in it, is the second best. */
static void reap(struct collect *c)
{
    struct rusage usage;
    c->cpu_ns = process_cpu_ns(c->pid);
    if (wait4(c->pid, &c->wait_status, 0, &usage) != c->pid)
        usage = (struct rusage){0};
    if (c->cpu_ns == 0)
        c->cpu_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                    (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
    c->is_ended = true;
    c->grace_end_ns = now_ns() + GRACE_NS;
}

static void end_following(struct collect *c, int64_t grace_ns)
{
    c->is_ended = true;
    c->grace_end_ns = now_ns() + grace_ns;
}

/* Looks what has become of the program since the last time. */
static void look_after_program(struct collect *c)
{
    siginfo_t info = {0};
    int ask = WEXITED | WSTOPPED | WNOHANG;
    if (c->is_followed) {
        if (!c->is_ended && process_is_gone(&c->process))
            end_following(c, GRACE_NS);
        return;
    }
    if (c->is_ended || waitid(P_PID, (id_t)c->pid, &info, ask | WNOWAIT) != 0 || info.si_pid == 0)
        return;
    if (info.si_code == CLD_STOPPED) {
        waitid(P_PID, (id_t)c->pid, &info, WSTOPPED | WNOHANG);
        signals_stop_with(&c->signals, c->pid, info.si_status);
    } else if (info.si_code != CLD_TRAPPED) {
        reap(c);
    }
}

/* ---- requests ---- */

static void tell_switch(struct control *control, bool is_off, int64_t time_ns)
{
    atomic_store_explicit(&control->is_off, is_off, memory_order_relaxed);
    atomic_store_explicit(&control->begins_off, is_off, memory_order_relaxed);
    atomic_store_explicit(&control->switch_ns, (uint64_t)time_ns, memory_order_relaxed);
    /* Pairs with the agents' acquire loads. */
    atomic_fetch_add_explicit(&control->n_switches, 1, memory_order_release);
}

static void switch_all(struct collect *c, bool is_off)
{
    int64_t time_ns = now_ns();
    watch_switch(c->watch, is_off, time_ns);
    tell_switch(c->folder.control, is_off, time_ns);
}

static void answer(struct collect *c, bool is_refused, const char *text)
{
    struct control *control = c->folder.control;
    control->is_refused = is_refused;
    snprintf(control->answer, sizeof control->answer, "%s", text);
    uint32_t n = atomic_load_explicit(&control->n_requests, memory_order_relaxed);
    /* Pairs with the acquire load of whoever asked. */
    atomic_store_explicit(&control->n_answered, n, memory_order_release);
}

static void take_request(struct collect *c)
{
    struct control *control = c->folder.control;
    /* Pairs with the release in run_ask: the request is there. */
    uint32_t n = atomic_load_explicit(&control->n_requests, memory_order_acquire);
    uint32_t request = atomic_load_explicit(&control->request, memory_order_relaxed);
    if (c->pending || n == atomic_load_explicit(&control->n_answered, memory_order_relaxed))
        return;
    if (request == REQUEST_ON || request == REQUEST_OFF)
        switch_all(c, request == REQUEST_OFF);
    if (request == REQUEST_END && c->is_followed) {
        c->pending = request; /* answered when the profile is written: collect_answer */
        if (!c->is_ended)
            end_following(c, 0);
    } else if (c->pause.act && (request == REQUEST_DUMP || request == REQUEST_OFF))
        c->pending = request; /* answered when all records up to now are read */
    else
        answer(c, request == REQUEST_DUMP || request == REQUEST_END, "");
}

/* The profile as it is now is wanted: first all that is known is said. True: there are records. */
static bool settle(struct collect *c, uint32_t *process, const struct record_header **record)
{
    bool is_asked = c->pending && c->pending != REQUEST_END;
    if (!c->is_settled && c->pause.act && (is_asked || c->pause.is_due(c->pause.context))) {
        watch_settle(c->watch, now_ns());
        c->is_settled = true;
    }
    return watch_take(c->watch, process, record);
}

static void pause_now(struct collect *c)
{
    struct err e = {{0}};
    bool is_done = c->pause.act(c->pause.context, c->pending, &e);
    if (c->pending)
        answer(c, !is_done, e.text);
    c->pending = REQUEST_NONE;
    c->is_settled = false;
}

enum control_request collect_pending(const struct collect *c)
{
    return c->pending;
}

void collect_answer(struct collect *c, bool is_done, const char *text)
{
    if (c->pending)
        answer(c, !is_done, text);
    c->pending = REQUEST_NONE;
}

/* Processes that cannot be looked into tell of their waits themselves. */
static void ask_the_hidden(struct collect *c)
{
    uint32_t process;
    while (watch_blind(c->watch, &process))
        rings_want_waits(&c->rings, process);
}

/* Sleeps until the next round or look is due or a signal comes. */
static void rest(struct collect *c)
{
    bool is_hurried = c->rings.is_filling || c->is_ended;
    int64_t length_ns = is_hurried ? HURRIED_ROUND_NS : ROUND_NS;
    int64_t due_ns = watch_due_ns(c->watch);
    if (due_ns) {
        int64_t until_ns = due_ns - now_ns();
        length_ns = until_ns < 0 ? 0 : until_ns < length_ns ? until_ns : length_ns;
    }
    struct timespec length = {.tv_nsec = length_ns};
    struct pollfd signal = {.fd = c->signals.fd, .events = POLLIN};
    if (c->recording.file)
        recording_flush(&c->recording);
    bool is_called = ppoll(&signal, 1, &length, NULL) != 0;
    int64_t woken_ns = now_ns();
    watch_wake(c->watch, woken_ns);
    take_request(c);
    /* The program's end is a signal, too. Asked for all the same now and then: to miss it would be
     * to wait forever. */
    if (is_called || woken_ns - c->asked_ns > ROUND_NS) {
        c->asked_ns = woken_ns;
        signals_take(&c->signals, c->is_ended || c->is_followed ? 0 : c->pid);
        look_after_program(c);
    }
}

/* The RECORD_END of the program itself carries what waiting for it has told. */
static void complete_end(const struct collect *c, const struct record_header *record)
{
    struct record_end *end = (struct record_end *)(uintptr_t)record;
    if (record->kind == RECORD_END && c->is_ended && end->cpu_ns == 0 &&
        c->rings.ended_pid == c->pid)
        end->cpu_ns = c->cpu_ns;
}

static bool next_live(struct collect *c, uint32_t *process, const struct record_header **record)
{
    if (watch_take(c->watch, process, record))
        return true;
    while (!rings_next(&c->rings, process, record)) {
        /* Only now are all threads known that have begun: a look before would miss some at work. */
        watch_look(c->watch, now_ns());
        ask_the_hidden(c);
        if (settle(c, process, record))
            return true;
        if (c->is_settled)
            pause_now(c);
        bool was_ended = c->is_ended;
        if (was_ended && (c->rings.open.n == 0 || c->rings.is_closing))
            return false;
        if (!was_ended || c->rings.open.n > 0)
            rest(c);
        c->rings.is_closing = c->is_ended && now_ns() >= c->grace_end_ns;
        /* After the end the folder is looked at once more: a last process may just have begun. */
        rings_begin_round(&c->rings, c->is_ended);
    }
    complete_end(c, *record);
    watch_see(c->watch, *process, *record);
    ask_the_hidden(c);
    return true;
}

bool collect_next(struct collect *c, uint32_t *process, const struct record_header **record)
{
    bool has_next = false;
    if (c->is_replay)
        return recording_read(&c->recording, process, record);
    if (c->stage == STAGE_FIRST) {
        *process = 0;
        *record = c->run;
        has_next = true;
    } else if (c->stage == STAGE_RUNNING) {
        has_next = next_live(c, process, record);
    }
    c->stage = has_next ? STAGE_RUNNING : STAGE_OVER;
    if (c->recording.file) {
        if (has_next)
            recording_write(&c->recording, *process, *record);
        else
            recording_flush(&c->recording);
    }
    return has_next;
}

bool collect_has_ended(const struct collect *c)
{
    return c->is_replay || c->is_ended;
}

int collect_wait_status(const struct collect *c)
{
    return c->wait_status;
}

uint32_t collect_processes(const struct collect *c)
{
    return c->is_replay ? c->recording.n_processes : c->rings.n_processes;
}

enum control_refusal collect_refusal(const struct collect *c, uint32_t *hexversion)
{
    struct control *control = c->folder.control;
    *hexversion = 0;
    if (!control)
        return REFUSAL_NONE;
    *hexversion = atomic_load_explicit(&control->refused_hexversion, memory_order_relaxed);
    return atomic_load_explicit(&control->refusal, memory_order_relaxed);
}

const char *collect_trouble(const struct collect *c)
{
    return c->recording.trouble.text[0] ? c->recording.trouble.text : NULL;
}

double collect_own_cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void collect_close(struct collect *c)
{
    watch_free(c->watch);
    if (c->is_followed) {
        process_close(&c->process);
        /* Children that live on are not to measure for nobody. */
        tell_switch(c->folder.control, true, now_ns());
    }
    rings_close(&c->rings);
    folder_close(&c->folder);
    recording_close(&c->recording);
    signals_close(&c->signals);
    arena_fini(&c->arena);
    free(c);
}
