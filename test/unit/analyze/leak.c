/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that stay or go in, leaks out. */
#include "../check.h"
#include "blocks.h"

/* ---- leaks: a run of 10 s with a block every 10 ms; one of `every` goes at `age_ns` ---- */

static double likelihood_when(uint64_t age_ns, uint64_t every, uint64_t until_ns)
{
    struct profile *profile = new_profile();
    const uint64_t step = S / 100;
    for (uint64_t t = 0; t < 10 * S; t += step) {
        if (t < until_ns)
            alloc(profile, 0, t, 0x10000 + t / step * 16, 40000, 1);
        if (t >= age_ns && t - age_ns < until_ns && (t - age_ns) / step % every == 0)
            give_back(profile, 0, t, 0x10000 + (t - age_ns) / step * 16, 0);
    }
    end(profile, 0, 10 * S);
    const struct profile_result *result = profile_finish(profile);
    double found = line(result, 10).leak_likelihood;
    if (found > 0 && age_ns == UINT64_MAX) {
        CHECK_NEAR(line(result, 10).leak_s, 4e6, 0.05e6);
        CHECK(line(result, 10).leak_s_error == 0);
    }
    profile_free(profile);
    return found;
}

static double likelihood(uint64_t age_ns, uint64_t until_ns)
{
    return likelihood_when(age_ns, 1, until_ns);
}

static void blocks_that_stay_are_a_leak(void)
{
    CHECK(likelihood(UINT64_MAX, 10 * S) > 0.95);
    CHECK(likelihood_when(S / 2, 2, 10 * S) > 0.95); /* temporaries are made beside */
}

/* Every two seconds of thirty; the last batch came a second and a half before the end of R. */
static void a_leak_that_comes_in_batches_is_one(void)
{
    struct profile *profile = new_profile();
    for (uint64_t batch = 0; batch < 14; batch++)
        for (uint64_t i = 0; i < 100; i++)
            alloc(profile, 0, 2 * S * batch - (batch == 13) * S / 2 + i * 1000,
                  0x10000 + (100 * batch + i) * 16, 40000, 1);
    end(profile, 0, 30 * S);
    CHECK(line(profile_finish(profile), 10).leak_likelihood > 0.95);
    profile_free(profile);
}

static void a_leak_that_is_dropped_at_the_very_end_is_one(void)
{
    struct profile *profile = new_profile();
    for (uint64_t i = 0; i < 990; i++)
        alloc(profile, 0, i * S / 100, 0x10000 + i * 16, 40000, 1);
    for (uint64_t i = 0; i < 990; i++)
        give_back(profile, 0, 995 * S / 100, 0x10000 + i * 16, 0);
    end(profile, 0, 10 * S);
    const struct profile_result *result = profile_finish(profile);
    CHECK(line(result, 10).leak_likelihood > 0.95 && line(result, 10).live == 0);
    CHECK_NEAR(line(result, 10).leak_s, 4e6, 0.1e6);
    profile_free(profile);
}

/* It takes a while until the last one is gone, the youngest first, as a list does it. */
static void a_leak_that_is_dropped_slowly_is_one(void)
{
    struct profile *profile = new_profile();
    for (uint64_t i = 0; i < 930; i++)
        alloc(profile, 0, i * S / 100, 0x10000 + i * 16, 40000, 1);
    for (uint64_t i = 0; i < 930; i++)
        give_back(profile, 0, 93 * S / 10 + i * S / 1400, 0x10000 + (929 - i) * 16, 0);
    end(profile, 0, 10 * S);
    CHECK(line(profile_finish(profile), 10).leak_likelihood > 0.95);
    profile_free(profile);
}

/* Line 10 leaks, and line 11 makes small blocks that stay: 40 KB in a second. */
static double likelihood_beside(uint64_t leaking_bytes, uint64_t size, enum memory_domain domain)
{
    struct profile *profile = new_profile();
    for (uint64_t i = 0; i < 1000; i++) {
        if (leaking_bytes)
            alloc(profile, 0, i * S / 100, 0x10000 + i * 16, leaking_bytes, 1);
        if (i % 10)
            continue;
        struct record_alloc *record = begin_alloc(i * S / 100, 0x100000 + i * 16, size, 2);
        record->head.flags = 0;
        record->mean = 4096;
        record->domain = (uint8_t)domain;
        profile_add(profile, 0, draft_head(&draft));
    }
    end(profile, 0, 10 * S);
    double found = line(profile_finish(profile), 11).leak_likelihood;
    profile_free(profile);
    return found;
}

static void small_blocks_beside_a_fast_leak_are_not_told_of(void)
{
    CHECK(likelihood_beside(0, 24, MEMORY_PYTHON) > 0.9);
    CHECK(likelihood_beside(40000, 24, MEMORY_PYTHON) <= 0);
    CHECK(likelihood_beside(5000, 24, MEMORY_PYTHON) > 0.9);
    CHECK(likelihood_beside(40000, 24, MEMORY_NATIVE) > 0.9);
    CHECK(likelihood_beside(40000, 1000, MEMORY_PYTHON) > 0.9);
}

/* Line 11 makes `n` small blocks that stay, which are 8% of what line 10 leaks; line 12 makes
 * others in between, so that each of them tells its own. */
static double likelihood_by_samples(uint64_t n)
{
    struct profile *profile = new_profile();
    for (uint64_t i = 0; i < n; i++) {
        uint64_t t = 10 * S * i / n;
        alloc(profile, 0, t, 0x1000000 + i * 16, (uint64_t)(4096 / 0.08), 1);
        for (uint32_t stack = 2; stack <= 3; stack++) {
            struct record_alloc *record = begin_alloc(t, 0x100000 * stack + i * 16, 24, stack);
            record->head.flags = 0;
            record->mean = 4096;
            profile_add(profile, 0, draft_head(&draft));
        }
        give_back(profile, 0, t + 1000, 0x300000 + i * 16, 0);
    }
    end(profile, 0, 10 * S);
    double found = line(profile_finish(profile), 11).leak_likelihood;
    profile_free(profile);
    return found;
}

static void small_blocks_beside_a_fast_leak_must_be_many(void)
{
    CHECK(likelihood_by_samples(40) <= 0); /* 18 in R: 8% +- 2 */
    CHECK(likelihood_by_samples(4000) > 0.9);
}

/* Blocks of 1 KB, 25 in a second at a mean of 4 KiB and then, when the program allocates faster
 * elsewhere, 3 in a second at 32 KiB: the same leak all the time. `n_late`: in the later time. */
static double likelihood_when_samples_get_rarer(uint64_t n_late)
{
    struct profile *profile = new_profile();
    uint64_t n_early = 8 * n_late * 4 / 6;
    for (uint64_t i = 0; i < n_early + n_late; i++) {
        bool is_early = i < n_early;
        uint64_t t = is_early ? 4 * S * i / n_early : 4 * S + 6 * S * (i - n_early) / n_late;
        struct record_alloc *record = begin_alloc(t, 0x10000 + i * 16, 1000, 1);
        record->head.flags = 0;
        record->mean = is_early ? 4096 : 32768;
        profile_add(profile, 0, draft_head(&draft));
    }
    end(profile, 0, 10 * S);
    double found = line(profile_finish(profile), 10).leak_likelihood;
    profile_free(profile);
    return found;
}

static void rarer_samples_are_no_slower_leak(void)
{
    CHECK(likelihood_when_samples_get_rarer(20) > 0.95);
    CHECK(likelihood_when_samples_get_rarer(200) > 0.95);
}

static void blocks_that_go_are_none(void)
{
    CHECK(likelihood(S / 10, 10 * S) == 0);
    CHECK(likelihood(2 * S, 10 * S) == 0);               /* a queue */
    CHECK(likelihood_when(26 * S / 10, 2, 10 * S) == 0); /* old ones go, though not all */
}

static void a_cache_that_is_full_is_none(void)
{
    CHECK(likelihood(UINT64_MAX, 3 * S) == 0);
    CHECK(likelihood(UINT64_MAX, 6 * S) == 0);
    CHECK(likelihood(UINT64_MAX, 85 * S / 10) == 0);
}

int main(void)
{
    RUN(blocks_that_stay_are_a_leak);
    RUN(a_leak_that_comes_in_batches_is_one);
    RUN(a_leak_that_is_dropped_at_the_very_end_is_one);
    RUN(a_leak_that_is_dropped_slowly_is_one);
    RUN(small_blocks_beside_a_fast_leak_are_not_told_of);
    RUN(small_blocks_beside_a_fast_leak_must_be_many);
    RUN(rarer_samples_are_no_slower_leak);
    RUN(blocks_that_go_are_none);
    RUN(a_cache_that_is_full_is_none);
    return 0;
}
