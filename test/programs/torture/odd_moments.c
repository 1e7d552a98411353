/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates, copies and maps at moments when little works: in a constructor and a destructor of a
 * library, in signal handlers, in destructors of ending threads, after the last atexit handler. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_key_t key;
static volatile sig_atomic_t n_signals;
static void *kept;

static void everything(size_t n)
{
    char *a = malloc(n), *b = calloc(1, n), *d;
    void *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!a || !b || m == MAP_FAILED || posix_memalign((void **)&d, 64, n) != 0)
        abort();
    memcpy(a, b, n);
    a = realloc(a, 2 * n);
    memmove(a + n, a, n);
    free(a);
    free(b);
    free(d);
    munmap(m, n);
}

static void at_the_very_end(void)
{
    everything(300000);
}

__attribute__((constructor)) static void at_load(void)
{
    everything(200000);
    kept = malloc(100000);
    atexit(at_the_very_end);
}

__attribute__((destructor)) static void at_unload(void)
{
    everything(200000);
    free(kept);
}

/* ---- threads that allocate while they end, round after round ---- */

static void end_of_thread(void *rounds)
{
    everything(70000);
    if ((uintptr_t)rounds > 1)
        pthread_setspecific(key, (void *)((uintptr_t)rounds - 1));
}

static void *short_life(void *unused)
{
    (void)unused;
    pthread_setspecific(key, (void *)PTHREAD_DESTRUCTOR_ITERATIONS);
    everything(1000);
    return NULL;
}

int threads_that_end(int n)
{
    if (pthread_key_create(&key, end_of_thread) != 0)
        return 0;
    for (int i = 0; i < n; i++) {
        pthread_t threads[4];
        for (int k = 0; k < 4; k++)
            if (pthread_create(&threads[k], NULL, short_life, NULL) != 0)
                return 0;
        for (int k = 0; k < 4; k++)
            pthread_join(threads[k], NULL);
    }
    return pthread_key_delete(key) == 0;
}

/* ---- a handler that allocates by mmap and copies, which programs do, and by an allocator, which
 * they must not, but which the agent must not make worse: here only code of this file is
 * interrupted, so that malloc itself never is ---- */

static void handler(int number)
{
    (void)number;
    everything(50000);
    n_signals++;
}

int signals_that_allocate(int n)
{
    struct sigaction action = {.sa_handler = handler}, old;
    struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
    volatile unsigned long spin = 0;
    sigaction(SIGALRM, &action, &old);
    n_signals = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    while (n_signals < n)
        spin++;
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    return 1;
}

/* A handler that meets our hooks at work: copies and mappings are safe there. */
static void copying_handler(int number)
{
    static char a[70000], b[70000];
    (void)number;
    memcpy(a, b, sizeof a);
    void *m = mmap(NULL, sizeof a, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(m, sizeof a);
    n_signals++;
}

int signals_amid_allocations(int n)
{
    struct sigaction action = {.sa_handler = copying_handler}, old;
    struct itimerval often = {{0, 100}, {0, 100}}, never = {0};
    sigaction(SIGALRM, &action, &old);
    n_signals = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    while (n_signals < n)
        free(malloc(5000));
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    return 1;
}

/* ---- many threads that pass blocks to each other, grow and free them ---- */

#define SHARED 4096
static _Atomic(void *) shared[SHARED];

static void *race(void *argument)
{
    unsigned long long x = 88172645463325252ull + (uintptr_t)argument * 7919;
    for (int i = 0; i < 60000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        void *mine = __atomic_exchange_n(&shared[x % SHARED], NULL, __ATOMIC_ACQ_REL);
        size_t n = 1 + (x >> 20) % ((x >> 40) % 50 == 0 ? 100000 : 2000);
        mine = (x >> 12) % 3 ? realloc(mine, n) : (free(mine), malloc(n));
        *(volatile char *)mine = 1;
        free(__atomic_exchange_n(&shared[(x >> 30) % SHARED], mine, __ATOMIC_ACQ_REL));
    }
    return NULL;
}

int race_of_threads(int n)
{
    pthread_t threads[64];
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, race, (void *)(uintptr_t)(i + 1)) != 0)
            return 0;
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SHARED; i++)
        free(__atomic_exchange_n(&shared[i], NULL, __ATOMIC_ACQ_REL));
    return 1;
}

/* ---- threads that allocate for as long as others fork ---- */

static volatile int is_over;

static void *churn(void *unused)
{
    (void)unused;
    while (!is_over) {
        void *a = malloc(40000), *b = malloc(100);
        a = realloc(a, 90000);
        free(a);
        free(b);
        usleep(100);
    }
    return NULL;
}

static pthread_t churners[64];
static int n_churners;

void churn_begin(int n)
{
    is_over = 0;
    for (n_churners = 0; n_churners < n; n_churners++)
        pthread_create(&churners[n_churners], NULL, churn, NULL);
}

void churn_end(void)
{
    is_over = 1;
    while (n_churners)
        pthread_join(churners[--n_churners], NULL);
}

/* ---- ways to fail ---- */

void corrupt_heap(void)
{
    char *a = malloc(40000), *b = malloc(40000);
    memset(a, 'x', 40064); /* over the head of the next block */
    free(b);
    free(a);
}

/* What the libc says of it depends on the neighbours: here a block in use follows. */
void free_twice(void)
{
    char *a = malloc(40000), *next = malloc(40000);
    while (next < a || next > a + 41000) {
        a = next;
        next = malloc(40000);
    }
    free(a);
    free(a);
}

void free_nonsense(void)
{
    static char not_a_block[64];
    free(not_a_block + 32);
}
