/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks are the test's own, so that every number here is the same on every machine. */
#include "agent/countdown.h"

#include "agent/agent.h"

#include "../check.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#define MEAN 32768u
#define MB   1e6

struct agent agent; /* without a ring nothing is counted there */

/* ---- the clocks ---- */

static uint64_t wall_ns = 1000000000, cpu_ns;

int clock_gettime(clockid_t id, struct timespec *t)
{
    uint64_t now = id == CLOCK_THREAD_CPUTIME_ID ? cpu_ns : wall_ns;
    *t = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
    return 0;
}

/* As if the program had been at work for so long. */
static void work(double ns)
{
    static double rest;
    rest += ns;
    wall_ns += (uint64_t)rest;
    cpu_ns += (uint64_t)rest;
    rest -= (double)(uint64_t)rest;
}

/* ---- allocations ---- */

#define ELSEWHERE_NS 500u        /* is owed for every sample, whatever it takes */
static uint64_t sample_ns = 500; /* what a sample takes */

struct outcome {
    double bytes, n; /* as estimated from the samples */
    unsigned n_samples;
    uint64_t mean; /* of the last one */
};

/* As analyze/memory.c has it. */
static double chance(double size, double mean)
{
    double x = size / mean, y = x > 0.5 ? x - 0.5 : 0;
    return x - y * y / 2;
}

static void one(enum memory_domain domain, size_t size, struct outcome *o)
{
    uint64_t mean;
    if (!countdown_takes(domain, size))
        return;
    enum countdown_verdict verdict = countdown_over(domain, size, &mean);
    if (verdict == COUNTDOWN_NOT_SAMPLED)
        return;
    work((double)sample_ns);
    countdown_owe((uint32_t)sample_ns);
    double p = verdict == COUNTDOWN_EXACT ? 1 : chance((double)size, (double)mean);
    o->bytes += (double)size / p;
    o->n += 1 / p;
    o->n_samples++;
    o->mean = mean;
}

/* `n` allocations of `size` bytes as a hook makes them. */
static struct outcome allocate(unsigned n, size_t size)
{
    struct outcome o = {0};
    for (unsigned i = 0; i < n; i++)
        one(MEMORY_NATIVE, size, &o);
    return o;
}

static void start_with(uint64_t mean, bool is_fixed, uint64_t seed)
{
    countdown_start(mean, is_fixed);
    /* The thread's own seed comes from its number. */
    countdown_thread.random = (seed + 1) * 0x9e3779b97f4a7c15ull | 1;
    countdown_begin();
}

/* ---- estimates ---- */

/* Six of the standard deviations they would have with distances that know nothing of each other. */
static void check_unbiased(size_t size, unsigned n)
{
    start_with(MEAN, true, size);
    struct outcome o = allocate(n, size);
    double total = (double)size * n;
    CHECK_NEAR(o.bytes, total, 6 * sqrt(total * MEAN) + 1);
    CHECK_NEAR(o.n, (double)n, 6 * sqrt(total * MEAN) / (double)size + 1);
}

static void estimates_are_unbiased_at_every_size(void)
{
    static const size_t sizes[] = {1, 16, 17, 100, 1000, 10007, 20011, 30000, 32767};
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

/* A fixed rhythm of sizes must not hide one of them from the sampler, above all not one of the
 * mean's length, its half or its double. */
static void a_rhythm_of_sizes_is_no_hiding_place(void)
{
    static const unsigned periods[] = {4256, MEAN / 4, MEAN / 2, MEAN, 2 * MEAN, 3 * MEAN / 2};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        struct outcome small = {0}, large = {0};
        unsigned rest = (periods[i] - 256) / 8, n = 400000000 / periods[i];
        start_with(MEAN, true, i);
        for (unsigned k = 0; k < n; k++) {
            one(MEMORY_NATIVE, 256, &small);
            for (int part = 0; part < 8; part++)
                one(MEMORY_NATIVE, rest, &large);
        }
        CHECK_NEAR(small.bytes / (256.0 * n), 1, 5 * sqrt(MEAN / (256.0 * n)));
        CHECK_NEAR(large.bytes / (8.0 * rest * n), 1, 5 * sqrt(MEAN / (8.0 * rest * n)));
    }
}

/* ---- the law ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The statistic of Anderson and Darling for a distribution that is known in full: all distances
 * from `low` to `low + width` alike. Above 3.857 in one of 100 samples, above 6 in one of 1000. */
static double anderson_darling(double *distances, size_t n, double low, double width)
{
    double sum = 0;
    qsort(distances, n, sizeof *distances, by_size);
    for (size_t i = 0; i < n; i++) {
        double below = (distances[i] - low) / width;
        double above = 1 - (distances[n - 1 - i] - low) / width;
        sum += (double)(2 * i + 1) * (log(fmax(below, 1e-9)) + log(fmax(above, 1e-9)));
    }
    return -(double)n - sum / (double)n;
}

#define DISTANCES 3000u
#define STEP      4u

static void distances_are_even(void)
{
    static double distances[DISTANCES];
    for (uint64_t seed = 1; seed <= 5; seed++) {
        start_with(MEAN, true, seed);
        while (allocate(1, STEP).n_samples == 0)
            ;
        for (size_t i = 0; i < DISTANCES; i++) {
            distances[i] = STEP;
            while (allocate(1, STEP).n_samples == 0)
                distances[i] += STEP;
        }
        CHECK(anderson_darling(distances, DISTANCES, MEAN / 2.0, MEAN) < 3.857);
        /* Or it would say yes to all. */
        CHECK(anderson_darling(distances, DISTANCES, MEAN / 2.0, MEAN * 1.1) > 3.857);
    }
}

/* The first sample of a thread comes as if it had always run: a thousand threads that allocate a
 * tenth of the mean each are seen as one that allocates a hundred means. */
static void the_first_sample_is_as_likely_as_any(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 20000; i++) {
        start_with(MEAN, true, i);
        n += allocate(13, 252).n_samples; /* 3276 bytes */
    }
    CHECK_NEAR((double)n, 2000, 4 * sqrt(2000));
}

/* Four standard deviations of a number of samples that know nothing of each other. */
static void check_count(unsigned n_samples, unsigned n, size_t size)
{
    double p = size >= MEAN ? 1 : chance((double)size, MEAN);
    CHECK_NEAR((double)n_samples, n * p, 4 * sqrt(n * p * (1 - p)));
}

static const size_t SIZES[] = {16, 64, 1024, 16384, 20000, 32767, 32768, 65536, 1 << 20, 10 << 20};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

static unsigned enough(size_t size)
{
    return size >= MEAN ? 1000 : (unsigned)(3000.0 * MEAN / (double)size);
}

static void counts_are_right_from_16_bytes_to_10_megabytes(void)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        start_with(MEAN, true, 100 + i);
        unsigned n = enough(SIZES[i]);
        check_count(allocate(n, SIZES[i]).n_samples, n, SIZES[i]);
    }
}

static void alternating_sizes_do_not_disturb_each_other(void)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        unsigned n = enough(SIZES[i]) / 10, small = 0, other = 0;
        start_with(MEAN, true, 200 + i);
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

/* Seeds hang on the threads' numbers here: six standard deviations. */
static void every_thread_has_gaps_of_its_own(void)
{
    struct one_thread threads[4];
    start_with(MEAN, true, 1);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i].thread, NULL, in_a_thread, &threads[i]) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i].thread, NULL);
        CHECK_NEAR((double)threads[i].n_samples, 1500, 6 * sqrt(1500));
        for (int k = 0; k < i; k++)
            CHECK(threads[i].random != threads[k].random);
    }
}

/* ---- the mean that follows ---- */

#define FLOOR 4096u

/* `total` bytes in objects of `size` at so many bytes a second. */
static struct outcome program(double total, size_t size, double bytes_a_second)
{
    struct outcome o = {0};
    for (double bytes = 0; bytes < total; bytes += (double)size) {
        one(MEMORY_NATIVE, size, &o);
        work(1e9 * (double)size / bytes_a_second);
    }
    return o;
}

struct spread {
    double bias, deviation; /* of estimates, in parts of the truth */
    double n_samples;       /* on average */
};

static struct spread repeat(unsigned times, double total, size_t size, double bytes_a_second)
{
    double sum = 0, squares = 0, n = 0;
    for (unsigned i = 0; i < times; i++) {
        start_with(FLOOR, false, i + 1);
        struct outcome o = program(total, size, bytes_a_second);
        double error = o.bytes / (ceil(total / (double)size) * (double)size) - 1;
        sum += error;
        squares += error * error;
        n += o.n_samples;
    }
    return (struct spread){sum / times, sqrt(squares / times), n / times};
}

static void twenty_megabytes_a_second_are_sure_to_one_percent(void)
{
    struct spread s = repeat(100, 20 * MB, 1000, 20 * MB);
    CHECK(s.deviation < 0.01);
    CHECK(fabs(s.bias) < 4 * s.deviation / sqrt(100));
    CHECK(s.n_samples < 5500);
}

/* In a twentieth of a second, so that the mean grows meanwhile: four deviations are two percent. */
static void a_hundred_megabytes_are_sure_to_half_a_percent(void)
{
    struct spread s = repeat(60, 100 * MB, 1000, 2000 * MB);
    CHECK(s.deviation < 0.0045);
    CHECK(fabs(s.bias) < 4 * s.deviation / sqrt(60));
    CHECK(s.n_samples < 11000);
}

/* A tenth of the time would be 50,000 samples of a microsecond. */
static void a_burst_costs_little(void)
{
    struct spread s = repeat(10, 500 * MB, 64, 1000 * MB);
    CHECK(s.n_samples < 22000);
    CHECK(fabs(s.bias) < 0.005);
}

static void samples_do_not_exceed_their_rate(void)
{
    static const double speeds[] = {100 * MB, 1000 * MB, 20000 * MB};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        start_with(FLOOR, false, i);
        program(3 * speeds[i], 1000, speeds[i]); /* until the mean has followed */
        struct outcome o = program(2 * speeds[i], 1000, speeds[i]);
        CHECK_NEAR(o.n_samples, 20000, 1500);
        CHECK_NEAR(o.bytes / (2 * speeds[i]), 1, 0.02);
    }
}

/* However long a sample takes, all of them together take a hundredth of the time; and what is
 * sampled more rarely for that is estimated as well, but for its error. */
static void long_samples_are_rarer(void)
{
    static const uint64_t times_ns[] = {50, 500, 8000, 40000};
    for (size_t i = 0; i < sizeof times_ns / sizeof *times_ns; i++) {
        sample_ns = times_ns[i];
        start_with(FLOOR, false, i);
        program(1200 * MB, 1000, 400 * MB);
        uint64_t before_ns = cpu_ns;
        struct outcome o = program(2000 * MB, 1000, 400 * MB);
        double share =
            o.n_samples * (double)(sample_ns + ELSEWHERE_NS) / (double)(cpu_ns - before_ns);
        CHECK_NEAR(share, 0.01, 0.0015);
        CHECK_NEAR(o.bytes / (2000 * MB), 1, 0.03);
    }
    sample_ns = 500;
}

/* As a hook does while measuring is off. */
static unsigned unseen(unsigned n, size_t size)
{
    unsigned n_looks = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!countdown_takes(MEMORY_NATIVE, size))
            continue;
        countdown_pass(MEMORY_NATIVE, size);
        n_looks++;
    }
    return n_looks;
}

/* Time in which measuring is switched off is no time that was measured. */
static void time_switched_off_pays_nothing(void)
{
    start_with(FLOOR, false, 1);
    uint64_t mean = program(1000 * MB, 1000, 1000 * MB).mean;
    CHECK(mean > 8 * FLOOR);
    unseen(40000, 100); /* enough for every piece to run out */
    work(1e9);
    CHECK(program(4 * MB, 1000, 1000 * MB).mean > mean / 2);
}

/* Switched off, the count runs out a few times in the least mean; and when it is on again the first
 * block as large as that is seen, in every thread. */
static void switched_off_it_looks_rarely_and_is_back_at_once(void)
{
    start_with(FLOOR, false, 1);
    CHECK(unseen(100000, 100) < 1.6 * 100000 * 100.0 / FLOOR);
    CHECK(allocate(1, FLOOR).n_samples == 1);
}

/* On and off in turns of so many blocks; who switches is another thread, or this one. */
static void check_switched(unsigned n_on, unsigned n_off, bool is_own)
{
    double bytes = 0;
    unsigned n_turns = 400000000 / ((n_on + n_off) * 100);
    start_with(MEAN, true, n_on);
    for (unsigned i = 0; i < n_turns; i++) {
        if (is_own)
            countdown_begin();
        bytes += allocate(n_on, 100).bytes;
        unseen(n_off, 100);
    }
    double total = 100.0 * n_on * n_turns;
    CHECK_NEAR(bytes / total, 1, 4 * sqrt(MEAN / total));
}

/* However short the stretches are beside the mean: a byte behind a switch is neither more nor less
 * likely to be sampled than any other. */
static void switches_neither_favour_bytes_nor_pass_over_them(void)
{
    static const unsigned blocks[] = {MEAN / 1000, MEAN / 200, MEAN / 100, MEAN / 40};
    for (size_t on = 0; on < sizeof blocks / sizeof *blocks; on++)
        for (size_t off = 0; off < sizeof blocks / sizeof *blocks; off++) {
            check_switched(blocks[on], blocks[off], false);
            check_switched(blocks[on], blocks[off], true);
        }
}

/* Two lines in turns, one of them in bursts: what the one does to the mean is no harm to the other.
 */
static void a_line_is_not_billed_for_what_another_does(void)
{
    double small = 0, large = 0;
    for (unsigned i = 0; i < 30; i++) {
        start_with(FLOOR, false, i + 1);
        for (int turn = 0; turn < 10; turn++) {
            small += program(5 * MB, 100, 50 * MB).bytes;
            large += program(50 * MB, 700, 2000 * MB).bytes;
        }
    }
    CHECK_NEAR(small / (1500 * MB), 1, 0.005);
    CHECK_NEAR(large / (15000 * MB), 1, 0.005);
}

/* After a burst the mean comes down again, also where nothing is sampled for long. */
static void a_quiet_program_is_sampled_densely_again(void)
{
    start_with(FLOOR, false, 1);
    CHECK(program(4000 * MB, 1000, 4000 * MB).mean > 16 * FLOOR);
    program(30 * MB, 1000, 10 * MB);
    CHECK(program(1 * MB, 1000, 10 * MB).mean == FLOOR);
}

/* Time that the program waits counts little, so that on a crowded machine, too, samples take a part
 * of the time it gets. */
static void waiting_pays_little(void)
{
    struct outcome o = {0};
    start_with(FLOOR, false, 1);
    for (int i = 0; i < 1000; i++) { /* a tenth of the CPU for ten seconds, a gigabyte */
        struct outcome more = program(1 * MB, 1000, 1000 * MB);
        o.n_samples += more.n_samples;
        o.bytes += more.bytes;
        wall_ns += 9000000;
    }
    CHECK(o.n_samples < 32000);
    CHECK_NEAR(o.bytes / (1000 * MB), 1, 0.02);
}

static void a_mean_that_was_asked_for_stays(void)
{
    start_with(MEAN, true, 1);
    struct outcome o = program(1000 * MB, 1000, 1000 * MB);
    CHECK(o.mean == MEAN);
    CHECK_NEAR((double)o.n_samples, 1000 * MB / MEAN, 1000);
    start_with(16, true, 1); /* but for a flood */
    CHECK(program(1000 * MB, 1000, 1000 * MB).n_samples < 300000);
}

static void a_crowd_makes_samples_rarer(void)
{
    start_with(MEAN, true, 1);
    countdown_thin_out(16);
    CHECK(allocate(1000000, 1000).mean == 16 * MEAN);
    countdown_thin_out(1);
    CHECK(allocate(1000000, 1000).mean == MEAN);
}

static void an_impossible_size_does_no_harm(void)
{
    uint64_t mean;
    CHECK(countdown_takes(MEMORY_NATIVE, SIZE_MAX));
    CHECK(countdown_over(MEMORY_NATIVE, SIZE_MAX, &mean) == COUNTDOWN_EXACT);
    check_unbiased(100, 1000000);
}

/* A process that is not measured looks once in a megabyte, after some quicker looks at first. */
static void before_the_start_it_is_asleep(void)
{
    uint64_t mean;
    CHECK(countdown_takes(MEMORY_NATIVE, 8));
    CHECK(countdown_over(MEMORY_NATIVE, 8, &mean) == COUNTDOWN_NOT_SAMPLED);
    CHECK(!countdown_takes(MEMORY_NATIVE, 10000));
    unsigned n_looks = 0;
    for (unsigned i = 0; i < 65536; i++) {
        if (!countdown_takes(MEMORY_NATIVE, 1024))
            continue;
        CHECK(countdown_over(MEMORY_NATIVE, 1024, &mean) == COUNTDOWN_NOT_SAMPLED);
        n_looks++;
    }
    CHECK(n_looks >= 64 && n_looks <= 72);
}

int main(void)
{
    RUN(before_the_start_it_is_asleep);
    countdown_start(MEAN, true);
    RUN(large_blocks_are_exact);
    RUN(a_block_of_the_means_size_is_exact);
    RUN(estimates_are_unbiased_at_every_size);
    RUN(a_rhythm_of_sizes_is_no_hiding_place);
    RUN(distances_are_even);
    RUN(the_first_sample_is_as_likely_as_any);
    RUN(counts_are_right_from_16_bytes_to_10_megabytes);
    RUN(alternating_sizes_do_not_disturb_each_other);
    RUN(every_thread_has_gaps_of_its_own);
    RUN(twenty_megabytes_a_second_are_sure_to_one_percent);
    RUN(a_hundred_megabytes_are_sure_to_half_a_percent);
    RUN(a_burst_costs_little);
    RUN(samples_do_not_exceed_their_rate);
    RUN(long_samples_are_rarer);
    RUN(time_switched_off_pays_nothing);
    RUN(switched_off_it_looks_rarely_and_is_back_at_once);
    RUN(switches_neither_favour_bytes_nor_pass_over_them);
    RUN(a_line_is_not_billed_for_what_another_does);
    RUN(a_quiet_program_is_sampled_densely_again);
    RUN(waiting_pays_little);
    RUN(a_mean_that_was_asked_for_stays);
    RUN(a_crowd_makes_samples_rarer);
    RUN(an_impossible_size_does_no_harm);
    return 0;
}
