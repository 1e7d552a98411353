/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/countdown.h"

#include "agent/agent.h"

#include "../check.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#define MEAN 32768u

struct agent agent; /* without a ring nothing is counted there */

struct outcome {
    double bytes, n; /* as estimated from the samples */
    unsigned n_samples;
};

/* `n` allocations of `size` bytes as a hook makes them. */
static struct outcome allocate(unsigned n, size_t size)
{
    struct outcome o = {0};
    for (unsigned i = 0; i < n; i++) {
        uint64_t mean;
        if (!countdown_takes(MEMORY_NATIVE, size))
            continue;
        enum countdown_verdict verdict = countdown_over(MEMORY_NATIVE, size, &mean);
        if (verdict == COUNTDOWN_NOT_SAMPLED)
            continue;
        double p = verdict == COUNTDOWN_EXACT ? 1 : -expm1(-(double)size / (double)mean);
        o.bytes += (double)size / p;
        o.n += 1 / p;
        o.n_samples++;
    }
    return o;
}

/* Six standard deviations of the estimate, with fewer samples than a program may save up, so that
 * the mean stays where it is. */
static void check_unbiased(size_t size, unsigned n)
{
    countdown_start(MEAN);
    struct outcome o = allocate(n, size);
    double total = (double)size * n;
    CHECK_NEAR(o.bytes, total, 6 * sqrt(total * MEAN) + 1);
    CHECK_NEAR(o.n, (double)n, 6 * sqrt(total * MEAN) / (double)size + 1);
}

static void estimates_are_unbiased_at_every_size(void)
{
    static const size_t sizes[] = {1, 16, 17, 100, 1000, 10007, 30000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_unbiased(sizes[i], (unsigned)(250000000 / (sizes[i] + 300)));
}

static void large_blocks_are_exact(void)
{
    struct outcome o = allocate(1000, (size_t)64 << 20);
    CHECK(o.n_samples == 1000);
    CHECK_NEAR(o.bytes, 1000.0 * (64 << 20), 1);
}

/* A block of exactly the mean's size is exact: it must never slip through a piece of that length.
 */
static void a_block_of_the_means_size_is_exact(void)
{
    uint64_t mean;
    for (int i = 0; i < 100000; i++) {
        CHECK(countdown_takes(MEMORY_COPIED, 1 << 20));
        CHECK(countdown_over(MEMORY_COPIED, 1 << 20, &mean) == COUNTDOWN_EXACT);
    }
}

/* A fixed rhythm of sizes must not hide one of them from the sampler. */
static void a_rhythm_of_sizes_is_no_hiding_place(void)
{
    double small = 0, large = 0;
    countdown_start(MEAN);
    for (int i = 0; i < 60000; i++) {
        small += allocate(1, 256).bytes;
        large += allocate(1, 4000).bytes;
    }
    CHECK_NEAR(small / (256.0 * 60000), 1, 6 * sqrt(MEAN / (256.0 * 60000)));
    CHECK_NEAR(large / (4000.0 * 60000), 1, 6 * sqrt(MEAN / (4000.0 * 60000)));
}

/* ---- the law: gaps are exponential, and counts binomial, at seeds that are always the same ----
 */

static void start_with(uint64_t seed)
{
    countdown_start(MEAN);
    countdown_thread.random = seed * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 4; i++) { /* the gap that runs was drawn from the clock's seed */
        while (allocate(1, 4096).n_samples == 0)
            ;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The statistic of Anderson and Darling for a distribution that is known in full; above 3.857 in
 * one of 100 samples, above 6 in one of 1000. */
static double anderson_darling(double *gaps, size_t n, double mean)
{
    double sum = 0;
    qsort(gaps, n, sizeof *gaps, by_size);
    for (size_t i = 0; i < n; i++) {
        double below = -expm1(-gaps[i] / mean), above = exp(-gaps[n - 1 - i] / mean);
        sum += (double)(2 * i + 1) * (log(below) + log(above));
    }
    return -(double)n - sum / (double)n;
}

#define GAPS 3000u
#define STEP 8u

static void gaps_are_exponential(void)
{
    static double gaps[GAPS];
    for (uint64_t seed = 1; seed <= 5; seed++) {
        start_with(seed);
        for (size_t i = 0; i < GAPS; i++) {
            gaps[i] = STEP / 2.0; /* in the middle of the step that was sampled */
            while (allocate(1, STEP).n_samples == 0)
                gaps[i] += STEP;
        }
        CHECK(anderson_darling(gaps, GAPS, MEAN) < 3.857);
        CHECK(anderson_darling(gaps, GAPS, MEAN * 1.1) > 3.857); /* or it would say yes to all */
    }
}

/* Four standard deviations of the number of samples. */
static void check_count(unsigned n_samples, unsigned n, size_t size)
{
    double p = size >= MEAN ? 1 : -expm1(-(double)size / MEAN);
    CHECK_NEAR((double)n_samples, n * p, 4 * sqrt(n * p * (1 - p)));
}

static const size_t SIZES[] = {16, 64, 1024, 16384, 32767, 32768, 65536, 1 << 20, 10 << 20};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

static unsigned enough(size_t size)
{
    return size >= MEAN ? 1000 : (unsigned)(3000.0 * MEAN / (double)size);
}

static void counts_are_binomial_from_16_bytes_to_10_megabytes(void)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        start_with(100 + i);
        unsigned n = enough(SIZES[i]);
        check_count(allocate(n, SIZES[i]).n_samples, n, SIZES[i]);
    }
}

static void alternating_sizes_do_not_disturb_each_other(void)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        unsigned n = enough(SIZES[i]) / 10, small = 0, other = 0;
        start_with(200 + i);
        for (unsigned k = 0; k < n; k++) {
            small += allocate(1, 100).n_samples;
            other += allocate(1, SIZES[i]).n_samples;
        }
        check_count(small, n, 100);
        check_count(other, n, SIZES[i]);
    }
}

struct one_thread {
    pthread_t thread;
    unsigned n_samples;
    uint64_t random;
};

static void *in_a_thread(void *argument)
{
    struct one_thread *t = argument;
    t->n_samples = allocate(enough(1000) / 2, 1000).n_samples;
    t->random = countdown_thread.random;
    return NULL;
}

/* Seeds are the clock's here: six standard deviations. */
static void every_thread_has_gaps_of_its_own(void)
{
    struct one_thread threads[4];
    countdown_start(MEAN);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i].thread, NULL, in_a_thread, &threads[i]) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i].thread, NULL);
        CHECK_NEAR((double)threads[i].n_samples, 1500, 6 * sqrt(1500));
        for (int k = 0; k < i; k++)
            CHECK(threads[i].random != threads[k].random);
    }
}

/* ---- how many there may be ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* However fast the program allocates; the clock is the wall's, so that a slow machine only makes it
 * easier. What is saved up comes on top, and what it takes until the mean has followed; it does not
 * follow what is less than a quarter too much. */
static void samples_do_not_exceed_their_rate(void)
{
    /* Some 20 and 100 gigabytes a second, for nothing is allocated: what the largest mean allows.
     */
    static const size_t sizes[] = {20, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned n = 0;
        double bytes = 0, total = 0, start = seconds();
        countdown_start(MEAN);
        while (seconds() < start + 0.8) {
            struct outcome o = allocate(1000, sizes[i]);
            n += o.n_samples;
            bytes += o.bytes;
            total += 1000.0 * (double)sizes[i];
        }
        double spent = seconds() - start;
        CHECK((double)n < 20000 + 12500 * spent + 20000); /* saved and owed */
        CHECK_NEAR(bytes / total, 1, 0.1);
    }
}

static void a_crowd_makes_samples_rarer(void)
{
    uint64_t mean = 0;
    countdown_start(MEAN);
    countdown_thin_out(16);
    double start = seconds();
    while (mean < 16 * MEAN) {
        CHECK(seconds() < start + 30);
        if (countdown_takes(MEMORY_NATIVE, 1000))
            countdown_over(MEMORY_NATIVE, 1000, &mean);
    }
    countdown_thin_out(1);
}

static void an_impossible_size_does_no_harm(void)
{
    uint64_t mean;
    CHECK(countdown_takes(MEMORY_NATIVE, SIZE_MAX));
    CHECK(countdown_over(MEMORY_NATIVE, SIZE_MAX, &mean) == COUNTDOWN_EXACT);
    check_unbiased(100, 1000000);
}

int main(void)
{
    uint64_t mean;
    CHECK(countdown_takes(MEMORY_NATIVE, 8)); /* before the start: asleep after the first */
    CHECK(countdown_over(MEMORY_NATIVE, 8, &mean) == COUNTDOWN_NOT_SAMPLED);
    CHECK(!countdown_takes(MEMORY_NATIVE, 10000));
    countdown_start(MEAN);
    RUN(large_blocks_are_exact);
    RUN(a_block_of_the_means_size_is_exact);
    RUN(estimates_are_unbiased_at_every_size);
    RUN(a_rhythm_of_sizes_is_no_hiding_place);
    RUN(gaps_are_exponential);
    RUN(counts_are_binomial_from_16_bytes_to_10_megabytes);
    RUN(alternating_sizes_do_not_disturb_each_other);
    RUN(every_thread_has_gaps_of_its_own);
    RUN(samples_do_not_exceed_their_rate);
    RUN(a_crowd_makes_samples_rarer);
    RUN(an_impossible_size_does_no_harm);
    return 0;
}
