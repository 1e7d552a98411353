/* SPDX-License-Identifier: Apache-2.0 */
/* Records of memory in, sums and peaks out; leak.c has the leaks. */
#include "analyze/profile.h"

#include "../check.h"
#include "blocks.h"

#include <math.h>

static void blocks_count_where_they_were_made(void)
{
    struct profile *profile = new_profile();
    alloc(profile, 0, 0, 0x1000, 4 << 20, 1);
    alloc(profile, 0, S, 0x2000, 2 << 20, 2);
    give_back(profile, 0, 2 * S, 0x2000, 0);
    alloc(profile, 0, 2 * S, 0x3000, 1 << 20, 10); /* of a library, called by nobody we know */
    alloc(profile, 0, 2 * S, 0x4000, 1 << 20, 99); /* of a stack that was lost */
    end(profile, 0, 4 * S);
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->heap.is_measured && result->n_unknown_records == 0);
    CHECK_NEAR(line(result, 10).allocated, 4 * MIB, 1);
    CHECK_NEAR(line(result, 10).live, 4 * MIB, 1);
    CHECK_NEAR(line(result, 10).average, 4 * MIB, 1);
    CHECK_NEAR(line(result, 11).allocated, 2 * MIB, 1);
    CHECK_NEAR(line(result, 11).live, 0, 1);
    CHECK_NEAR(line(result, 11).average, 0.5 * MIB, 1);
    CHECK_NEAR(line(result, 11).largest, 2 * MIB, 1);
    CHECK_NEAR(line(result, 11).lives[LIFE_LONGER], 2 * MIB, 1);
    CHECK_NEAR(result->heap.outside.allocated, 2 * MIB, 1);
    CHECK_NEAR(result->heap.total.live, 6 * MIB, 1);
    CHECK_NEAR(result->files[0].functions[0].memory.allocated, 6 * MIB, 1);
    CHECK(result->heap.n_stacks == 2 && result->heap.stacks[0].allocated == 4 * MIB);
    profile_free(profile);
}

/* Given back at line 9 + stack. */
static void give_back_at(struct profile *profile, uint64_t time_ns, uint64_t address,
                         uint32_t stack)
{
    struct record_free *record = draft_begin(&draft, RECORD_FREE, sizeof *record);
    record->time_ns = S + time_ns;
    record->address = address;
    record->stack = stack;
    profile_add(profile, 0, draft_head(&draft));
}

static void what_became_of_memory_is_told(void)
{
    struct profile *profile = new_profile();
    alloc(profile, 0, 0, 0x1000, 1 << 20, 1);
    alloc(profile, 0, 0, 0x2000, 2 << 20, 1);
    alloc(profile, 0, 0, 0x3000, 4 << 20, 1);
    alloc(profile, 0, 0, 0x4000, 8 << 20, 1);
    alloc(profile, 0, 0, 0x5000, 16 << 20, 1);
    give_back_at(profile, S / 2000, 0x1000, 2);
    give_back_at(profile, S, 0x2000, 1);
    give_back_at(profile, S, 0x3000, 2);
    give_back_at(profile, S, 0x4000, 0); /* nobody knows where */
    const struct profile_memory memory = line(profile_finish(profile), 10);
    CHECK_NEAR(memory.lives[LIFE_AT_ONCE], 1 * MIB, 1);
    CHECK_NEAR(memory.lives[LIFE_SAME_LINE], 2 * MIB, 1);
    CHECK_NEAR(memory.lives[LIFE_LONGER], 12 * MIB, 1);
    CHECK_NEAR(memory.live, 16 * MIB, 1);
    profile_free(profile);
}

static void memory_on_no_line_says_where_it_belongs(void)
{
    struct profile *profile = new_profile();
    begin_alloc(0, 0x1000, 1 << 20, 0)->tid = 100; /* the main thread of process 100 */
    profile_add(profile, 0, draft_head(&draft));
    begin_alloc(0, 0x2000, 2 << 20, 0)->tid = 101;
    profile_add(profile, 0, draft_head(&draft));
    alloc(profile, 0, 0, 0x3000, 4 << 20, 10);
    give_back(profile, 0, S, 0x3000, FREE_AT_EXIT);
    begin_alloc(S, 0x4000, 8 << 20, 0)->tid = 100;
    profile_add(profile, 0, draft_head(&draft));
    const struct profile_heap *heap = &profile_finish(profile)->heap;
    CHECK_NEAR(heap->outsides[OUTSIDE_START_UP].live, 1 * MIB, 1);
    CHECK_NEAR(heap->outsides[OUTSIDE_THREADS].live, 2 * MIB, 1);
    CHECK_NEAR(heap->outsides[OUTSIDE_LIBRARY].live, 4 * MIB, 1);
    CHECK_NEAR(heap->outsides[OUTSIDE_EXIT].allocated, 8 * MIB, 1);
    CHECK_NEAR(heap->outside.allocated, 15 * MIB, 1);
    CHECK_NEAR(heap->outside.live, 7 * MIB, 1);
    profile_free(profile);
}

static void reside(struct profile *profile, uint32_t process, uint64_t time_ns, uint64_t rss_mb,
                   uint64_t pss_mb)
{
    struct record_resident *record = draft_begin(&draft, RECORD_RESIDENT, sizeof *record);
    record->time_ns = S + time_ns;
    record->rss_bytes = rss_mb << 20;
    record->pss_bytes = pss_mb << 20;
    profile_add(profile, process, draft_head(&draft));
}

static void every_process_has_its_own_peak(void)
{
    struct profile *profile = new_profile();
    describe(profile, 1);
    alloc(profile, 0, 0, 0x1000, 40 << 20, 1);
    give_back(profile, 0, S, 0x1000, 0);
    alloc(profile, 0, S, 0x1000, 10 << 20, 1);
    alloc(profile, 1, 2 * S, 0x1000, 35 << 20, 1);
    end(profile, 1, 3 * S);
    alloc(profile, 0, 3 * S, 0x2000, 20 << 20, 1);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(result->heap.peak.bytes, 45 * MIB, 1);
    CHECK_NEAR(result->heap.peak.time_s, 2, 1e-9);
    CHECK_NEAR(result->processes[0].memory.peak, 40 * MIB, 1);
    CHECK_NEAR(result->processes[0].memory.peak_time_s, 0, 1e-9);
    CHECK_NEAR(result->processes[0].memory.live, 30 * MIB, 1);
    CHECK_NEAR(result->processes[0].memory.allocated, 70 * MIB, 1);
    CHECK_NEAR(result->processes[1].memory.peak, 35 * MIB, 1);
    CHECK_NEAR(result->processes[1].memory.live, 35 * MIB, 1);
    profile_free(profile);
}

/* The child shares 50 of its 60 MB; between two looks the shared part is taken to stay. */
static void what_processes_share_is_counted_once(void)
{
    struct profile *profile = new_profile();
    describe(profile, 1);
    reside(profile, 0, 0, 60, 0);
    reside(profile, 0, S, 60, 35);
    reside(profile, 1, S, 60, 35);
    reside(profile, 1, 2 * S, 80, 0);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(result->heap.largest_resident, 140 * MIB, 1);
    CHECK_NEAR(result->heap.largest_shared, 90 * MIB, 1);
    CHECK_NEAR(result->processes[1].memory.shared, 55 * MIB, 1);
    CHECK_NEAR(result->processes[1].memory.resident, 80 * MIB, 1);
    profile_free(profile);
}

static void a_sample_stands_for_what_was_not_sampled(void)
{
    struct profile *profile = new_profile();
    begin_alloc(0, 0x1000, 1000, 1)->head.flags = 0;
    profile_add(profile, 0, draft_head(&draft));
    const struct profile_result *result = profile_finish(profile);
    double p = 1000 / 32768.0, weight = 1000 / p;
    CHECK_NEAR(line(result, 10).allocated, weight, 1e-6);
    CHECK_NEAR(line(result, 10).n_allocations, 1 / p, 1e-6);
    CHECK_NEAR(line(result, 10).allocated_error, weight * sqrt(1 - p), 1e-6);
    CHECK_NEAR(line(result, 10).live, weight, 1);
    give_back(profile, 0, 1, 0x1000, 0);
    CHECK(line(profile_finish(profile), 10).live == 0);
    profile_free(profile);
}

static void a_realloc_counts_its_growth(void)
{
    struct profile *profile = new_profile();
    alloc(profile, 0, 0, 0x1000, 4 << 20, 1);
    give_back(profile, 0, S, 0x1000, 0);
    begin_alloc(S, 0x9000, 5 << 20, 1)->old_size = 4 << 20;
    profile_add(profile, 0, draft_head(&draft));
    give_back(profile, 0, 2 * S, 0x9000, 0);
    begin_alloc(2 * S, 0x9000, 0, 0)->head.flags = ALLOC_IS_RESTORED; /* the next one failed */
    profile_add(profile, 0, draft_head(&draft));
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line(result, 10).allocated, 5 * MIB, 1);
    CHECK_NEAR(line(result, 10).live, 5 * MIB, 1);
    CHECK_NEAR(line(result, 10).n_allocations, 2, 1e-9);
    profile_free(profile);
}

static void the_peak_is_made_of_what_was_live_then(void)
{
    struct profile *profile = new_profile();
    alloc(profile, 0, 1, 0x1000, 100 << 20, 1);
    alloc(profile, 0, 2, 0x2000, 25 << 20, 2);
    give_back(profile, 0, 3, 0x2000, 0);
    alloc(profile, 0, 4, 0x3000, 24 << 20, 3);
    give_back(profile, 0, 5, 0x1000, 0);
    alloc(profile, 0, 6, 0x4000, 50 << 20, 2);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(result->heap.peak.bytes, 125 * MIB, 1);
    CHECK_NEAR(result->heap.peak.time_s, 2e-9, 1e-12);
    CHECK(result->heap.peak.line == 11);
    CHECK_NEAR(line(result, 10).at_peak, 100 * MIB, 1);
    CHECK_NEAR(line(result, 11).at_peak, 25 * MIB, 1);
    CHECK_NEAR(line(result, 12).at_peak, 0, 1);
    profile_free(profile);
}

static void the_larger_of_two_peaks_wins_by_little(void)
{
    struct profile *profile = new_profile();
    alloc(profile, 0, 1, 0x1000, 100 << 20, 1);
    give_back(profile, 0, 2, 0x1000, 0);
    alloc(profile, 0, 3, 0x2000, 101 << 20, 2);
    give_back(profile, 0, 4, 0x2000, 0);
    alloc(profile, 0, 5, 0x3000, 100 << 20, 3);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(result->heap.peak.bytes, 101 * MIB, 1);
    CHECK_NEAR(line(result, 11).at_peak, 101 * MIB, 1);
    profile_free(profile);
}

static void live_bytes_do_not_drift(void)
{
    struct profile *profile = new_profile();
    for (uint64_t i = 0; i < 10000; i++) {
        begin_alloc(2 * i, 0x1000, 100 + i, 1)->head.flags = 0;
        profile_add(profile, 0, draft_head(&draft));
        give_back(profile, 0, 2 * i + 1, 0x1000, 0);
    }
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->heap.total.live == 0);
    CHECK(result->heap.total.points[result->heap.total.n_points - 1].bytes == 0);
    profile_free(profile);
}

static void the_end_may_be_the_peak(void)
{
    struct profile *profile = new_profile();
    for (uint64_t i = 1; i <= 100; i++)
        alloc(profile, 0, i, 0x1000 * i, 1 << 20, 1 + i % 2);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(result->heap.peak.bytes, 100 * MIB, 1);
    CHECK_NEAR(line(result, 10).at_peak, 50 * MIB, 1);
    profile_free(profile);
}

static void memory_of_processes_adds_up_and_ends_with_them(void)
{
    struct profile *profile = new_profile();
    describe(profile, 1);
    alloc(profile, 0, 1, 0x1000, 10 << 20, 1);
    alloc(profile, 1, 2, 0x1000, 20 << 20, 2); /* the same address, another process */
    give_back(profile, 1, 3, 0x7777, 0);       /* its parent's */
    end(profile, 1, 4);
    alloc(profile, 0, 5, 0x2000, 15 << 20, 3);
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_unknown_records == 0);
    CHECK_NEAR(result->heap.peak.bytes, 30 * MIB, 1);
    CHECK_NEAR(line(result, 11).live, 20 * MIB, 1);
    CHECK_NEAR(result->heap.total.live, 45 * MIB, 1);
    CHECK_NEAR(result->heap.total.points[result->heap.total.n_points - 1].bytes, 25 * MIB, 1);
    profile_free(profile);
}

static void what_is_freed_at_exit_was_live_at_the_end(void)
{
    struct profile *profile = new_profile();
    alloc(profile, 0, 1, 0x1000, 10 << 20, 1);
    give_back(profile, 0, 2, 0x1000, FREE_AT_EXIT);
    end(profile, 0, 3);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line(result, 10).live, 10 * MIB, 1);
    CHECK(line(result, 10).lives[LIFE_LONGER] == 0 && line(result, 10).lives[LIFE_AT_ONCE] == 0);
    profile_free(profile);
}

static void copies_are_volume_only(void)
{
    struct profile *profile = new_profile();
    alloc(profile, 0, 1, 0, 10 << 20, 1);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line(result, 10).copied, 10 * MIB, 1);
    CHECK(line(result, 10).allocated == 0 && line(result, 10).live == 0);
    CHECK(result->heap.n_copies == 1 && result->heap.n_blocks == 0 && result->heap.n_stacks == 0);
    profile_free(profile);
}

static void resident_memory_is_summed_over_processes(void)
{
    struct profile *profile = new_profile();
    describe(profile, 1);
    for (uint32_t i = 0; i < 4; i++) {
        struct record_resident *record = draft_begin(&draft, RECORD_RESIDENT, sizeof *record);
        record->time_ns = S + i * S;
        record->rss_bytes = (i + 1) << 20;
        profile_add(profile, i % 2, draft_head(&draft));
    }
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(result->heap.largest_resident, 7 * MIB, 1);
    CHECK(!result->heap.is_measured);
    profile_free(profile);
}

static void resident_peak_is_not_missed_between_two_looks(void)
{
    struct profile *profile = new_profile();
    describe(profile, 1);
    struct record_resident *look = draft_begin(&draft, RECORD_RESIDENT, sizeof *look);
    look->time_ns = S;
    look->rss_bytes = 10 << 20;
    profile_add(profile, 0, draft_head(&draft));
    struct record_end *end = draft_begin(&draft, RECORD_END, sizeof *end);
    end->time_ns = 2 * S;
    end->counters[COUNTER_RESIDENT_PEAK] = 30 << 20;
    profile_add(profile, 0, draft_head(&draft));
    CHECK_NEAR(profile_finish(profile)->heap.largest_resident, 30 * MIB, 1);
    profile_free(profile);
}

static void block_above_the_mean_counts_once_whoever_tells_it(void)
{
    struct profile *profile = new_profile();
    describe(profile, 1);
    struct record_alloc *record = begin_alloc(S, 0x1000, 10 << 20, 1);
    record->head.flags = 0; /* not said to be exact */
    record->mean = 4096;
    profile_add(profile, 0, draft_head(&draft));
    CHECK_NEAR(profile_finish(profile)->heap.total.allocated, 10 * MIB, 1);
    profile_free(profile);
}

static void nonsense_is_refused(void)
{
    struct profile *profile = new_profile();
    begin_alloc(0, 0x1000, 10, 1)->domain = MEMORY_DOMAINS;
    profile_add(profile, 0, draft_head(&draft));
    begin_alloc(0, 0, 10, 1)->domain = MEMORY_PYTHON;
    profile_add(profile, 0, draft_head(&draft));
    begin_alloc(0, 0x1000, UINT64_MAX, 1);
    profile_add(profile, 0, draft_head(&draft));
    struct record_stack *record = draft_begin(&draft, RECORD_STACK, sizeof *record);
    record->id = 1;
    record->n_frames = 5; /* none of which is there */
    profile_add(profile, 0, draft_head(&draft));
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_unknown_records == 4 && !result->heap.is_measured);
    profile_free(profile);
}

int main(void)
{
    RUN(blocks_count_where_they_were_made);
    RUN(what_became_of_memory_is_told);
    RUN(memory_on_no_line_says_where_it_belongs);
    RUN(every_process_has_its_own_peak);
    RUN(what_processes_share_is_counted_once);
    RUN(a_sample_stands_for_what_was_not_sampled);
    RUN(a_realloc_counts_its_growth);
    RUN(the_peak_is_made_of_what_was_live_then);
    RUN(the_larger_of_two_peaks_wins_by_little);
    RUN(live_bytes_do_not_drift);
    RUN(the_end_may_be_the_peak);
    RUN(memory_of_processes_adds_up_and_ends_with_them);
    RUN(what_is_freed_at_exit_was_live_at_the_end);
    RUN(copies_are_volume_only);
    RUN(resident_memory_is_summed_over_processes);
    RUN(resident_peak_is_not_missed_between_two_looks);
    RUN(block_above_the_mean_counts_once_whoever_tells_it);
    RUN(nonsense_is_refused);
    return 0;
}
