/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that block in system calls and count how often they are interrupted.
 *
 * Three ways of being blocked: one call for the whole time; short calls with some work in between,
 * so that the thread's own CPU time passes while it enters and leaves them; and calls interrupted
 * on purpose a known number of times, to be told apart from those that nobody asked for. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ll
#define SHORT_NS 1000000 /* a short call; the work after it takes a fifth of that */
#define KINDS    5

enum way { WAY_LONG, WAY_SHORT, WAY_SIGNALS };

struct blocked;
typedef int block_function(struct blocked *b, int64_t ns);

struct blocked {
    block_function *block;
    enum way way;
    int64_t end_ns;
    int pipe[2], epoll;
    sem_t semaphore;
    _Atomic int tid;
    _Atomic unsigned n_calls, n_interrupted, n_handled;
    _Atomic bool is_over;
};

static _Thread_local struct blocked *own;

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static struct timespec length_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

static int block_nanosleep(struct blocked *b, int64_t ns)
{
    struct timespec length = length_of(ns);
    (void)b;
    return nanosleep(&length, NULL);
}

static int block_poll(struct blocked *b, int64_t ns)
{
    struct pollfd file = {.fd = b->pipe[0], .events = POLLIN};
    return poll(&file, 1, (int)(ns / 1000000));
}

static int block_epoll(struct blocked *b, int64_t ns)
{
    struct epoll_event event;
    return epoll_wait(b->epoll, &event, 1, (int)(ns / 1000000));
}

static int block_semaphore(struct blocked *b, int64_t ns)
{
    struct timespec until = length_of(now_ns(CLOCK_REALTIME) + ns);
    return sem_timedwait(&b->semaphore, &until);
}

/* Ended by the byte that `unblock` writes; a short one finds a byte of its own. */
static int block_read(struct blocked *b, int64_t ns)
{
    char byte = 0;
    if (ns <= SHORT_NS && write(b->pipe[1], &byte, 1) != 1)
        return -1;
    return (int)read(b->pipe[0], &byte, 1);
}

static void work(int64_t ns)
{
    int64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void *run(void *argument)
{
    struct blocked *b = argument;
    own = b;
    atomic_store(&b->tid, (int)syscall(SYS_gettid));
    while (!atomic_load(&b->is_over) && now_ns(CLOCK_MONOTONIC) < b->end_ns) {
        int64_t left_ns = b->end_ns - now_ns(CLOCK_MONOTONIC);
        int answer = b->block(b, b->way == WAY_SHORT ? SHORT_NS : left_ns);
        if (answer < 0 && errno == EINTR)
            atomic_fetch_add(&b->n_interrupted, 1);
        atomic_fetch_add(&b->n_calls, 1);
        if (b->way == WAY_SHORT)
            work(SHORT_NS / 5);
    }
    return NULL;
}

static void handle(int number)
{
    (void)number;
    if (own)
        atomic_fetch_add(&own->n_handled, 1);
}

static void install(bool is_restarting)
{
    static const int numbers[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO};
    struct sigaction action = {.sa_handler = handle, .sa_flags = is_restarting ? SA_RESTART : 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static void pause_ns(int64_t ns)
{
    struct timespec length = length_of(ns);
    while (nanosleep(&length, &length) != 0 && errno == EINTR)
        ;
}

static bool is_asleep(int tid)
{
    char path[64], text[128] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const char *state = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    fclose(file);
    return state && strncmp(state, ") S", 3) == 0;
}

static bool start(struct blocked *b, pthread_t *thread)
{
    struct epoll_event event = {.events = EPOLLIN};
    if (pipe(b->pipe) != 0 || (b->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0 ||
        sem_init(&b->semaphore, 0, 0) != 0 ||
        epoll_ctl(b->epoll, EPOLL_CTL_ADD, b->pipe[0], &event) != 0)
        return false;
    return pthread_create(thread, NULL, run, b) == 0;
}

static void until_asleep(struct blocked *b)
{
    do
        pause_ns(5000000);
    while (!is_asleep(atomic_load(&b->tid)) && now_ns(CLOCK_MONOTONIC) < b->end_ns);
}

/* One signal, once the thread sleeps in its call; then until it sleeps again. */
static void interrupt(struct blocked *b, pthread_t thread)
{
    unsigned n_handled = atomic_load(&b->n_handled);
    until_asleep(b);
    pthread_kill(thread, SIGUSR1);
    while (atomic_load(&b->n_handled) == n_handled && now_ns(CLOCK_MONOTONIC) < b->end_ns)
        pause_ns(1000000);
    until_asleep(b);
}

static void end(struct blocked *b, pthread_t thread, unsigned counts[2])
{
    char byte = 0;
    bool is_signalled = b->way == WAY_SIGNALS;
    unsigned n_interrupted = atomic_load(&b->n_interrupted);
    atomic_store(&b->is_over, true);
    counts[0] = (unsigned)write(b->pipe[1], &byte, 1);
    sem_post(&b->semaphore);
    if (is_signalled)
        pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    counts[0] = atomic_load(&b->n_calls);
    counts[1] = is_signalled ? n_interrupted : atomic_load(&b->n_interrupted);
}

int blocked_run(int way, bool is_restarting, double seconds, int n_signals,
                unsigned counts[KINDS][2]);

/* For each kind its number of calls and of interrupted ones. Returns 0 when all threads ran. */
__attribute__((visibility("default"))) int blocked_run(int way, bool is_restarting, double seconds,
                                                       int n_signals, unsigned counts[KINDS][2])
{
    static block_function *const functions[KINDS] = {block_nanosleep, block_poll, block_semaphore,
                                                     block_read, block_epoll};
    static struct blocked blocked[KINDS];
    pthread_t threads[KINDS];
    int64_t length_ns = (int64_t)(seconds * (double)NS_PER_S);
    /* Those to be interrupted go on until the last signal has come, however long it takes. */
    int64_t end_ns = now_ns(CLOCK_MONOTONIC) + (way == WAY_SIGNALS ? 60 * NS_PER_S : length_ns);
    install(is_restarting);
    for (int i = 0; i < KINDS; i++) {
        blocked[i] =
            (struct blocked){.block = functions[i], .way = (enum way)way, .end_ns = end_ns};
        if (!start(&blocked[i], &threads[i]))
            return 1;
    }
    for (int i = 0; i < KINDS; i++)
        for (int n = 0; n < n_signals; n++)
            interrupt(&blocked[i], threads[i]);
    pause_ns(way == WAY_SIGNALS ? 0 : length_ns);
    for (int i = 0; i < KINDS; i++)
        end(&blocked[i], threads[i], counts[i]);
    return 0;
}
