/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that do nothing but malloc and free, each on blocks of its own: sizes from 16 bytes to
 * 4 KiB, of which most are freed at once and some live for a while. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define KEPT        256
#define THREADS_MAX 64

struct work {
    uint64_t n_pairs, random;
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void *churn(void *argument)
{
    struct work *work = argument;
    char *kept[KEPT] = {0};
    for (uint64_t i = 0; i < work->n_pairs; i++) {
        uint64_t random = next_random(&work->random);
        size_t slot = random % 4 == 0 ? (random >> 8) % KEPT : 0;
        free(kept[slot]);
        kept[slot] = malloc((size_t)16 << (random >> 32) % 9);
        if (!kept[slot])
            abort();
        kept[slot][0] = (char)random;
    }
    for (size_t i = 0; i < KEPT; i++)
        free(kept[i]);
    return NULL;
}

/* Runs the threads; 0: one could not be started. */
int malloc_threads(int n_threads, uint64_t n_pairs)
{
    pthread_t threads[THREADS_MAX];
    struct work work[THREADS_MAX];
    if (n_threads > THREADS_MAX)
        return 0;
    for (int i = 0; i < n_threads; i++) {
        work[i] = (struct work){n_pairs, 88172645463325252ull + (uint64_t)i};
        if (pthread_create(&threads[i], NULL, churn, &work[i]) != 0)
            return 0;
    }
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return 1;
}
