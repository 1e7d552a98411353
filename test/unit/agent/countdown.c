/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/countdown.h"

#include "agent/agent.h"

#include "../check.h"

#include <math.h>

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
        check_unbiased(sizes[i], (unsigned)(400000000 / (sizes[i] + 300)));
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
    for (int i = 0; i < 100000; i++) {
        small += allocate(1, 256).bytes;
        large += allocate(1, 4000).bytes;
    }
    CHECK_NEAR(small / (256.0 * 100000), 1, 6 * sqrt(MEAN / (256.0 * 100000)));
    CHECK_NEAR(large / (4000.0 * 100000), 1, 6 * sqrt(MEAN / (4000.0 * 100000)));
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
    RUN(an_impossible_size_does_no_harm);
    return 0;
}
