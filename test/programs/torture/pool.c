/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run no Python and allocate for whoever calls: a pool of our own, and OpenMP's. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER, ends = PTHREAD_COND_INITIALIZER;
static int n_workers, n_busy, round_now, n_blocks;
static size_t block_bytes;

static void allocate(int n, size_t bytes)
{
    for (int i = 0; i < n; i++)
        free(malloc(bytes));
}

static void *work(void *unused)
{
    (void)unused;
    for (int seen = 0;;) {
        pthread_mutex_lock(&lock);
        while (round_now == seen)
            pthread_cond_wait(&begins, &lock);
        seen = round_now;
        pthread_mutex_unlock(&lock);
        usleep(50000); /* whoever has only told the pool to begin is elsewhere by now */
        allocate(n_blocks, block_bytes);
        pthread_mutex_lock(&lock);
        if (--n_busy == 0)
            pthread_cond_signal(&ends);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

void pool_make(int n)
{
    pthread_t thread;
    for (n_workers = 0; n_workers < n; n_workers++)
        if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_detach(thread) != 0)
            abort();
}

void pool_begin(int n, size_t bytes)
{
    pthread_mutex_lock(&lock);
    n_busy = n_workers;
    n_blocks = n;
    block_bytes = bytes;
    round_now++;
    pthread_cond_broadcast(&begins);
    pthread_mutex_unlock(&lock);
}

void pool_end(void)
{
    pthread_mutex_lock(&lock);
    while (n_busy)
        pthread_cond_wait(&ends, &lock);
    pthread_mutex_unlock(&lock);
}

void pool_work(int n, size_t bytes)
{
    pool_begin(n, bytes);
    pool_end();
}

void parallel_work(int n, size_t bytes)
{
#pragma omp parallel num_threads(4)
    allocate(n, bytes);
}
