/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes in, whose time it was and when out: nothing is lost, and it stays small. */
#include "analyze/profile.h"

#include "../check.h"
#include "../records.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static struct draft draft;
static const struct record_frame in_f[] = {{1, 2}}, in_g[] = {{2, 4}}; /* lines 11 and 22 */

static void describe(struct profile *profile, uint32_t process)
{
    profile_add(profile, process, draft_process(&draft, 7 + process, "/home/me"));
    profile_add(profile, process, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, process, draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10));
    profile_add(profile, process, draft_code(&draft, 2, "/home/me/prog.py", "g", NULL, 20));
    profile_add(profile, process, draft_thread(&draft, 7 + process, 0, THREAD_IS_MAIN));
}

static struct profile *described(void)
{
    const struct profile_input input = {.filter = {.program_path = "/home/me"}};
    struct profile *profile = profile_new(&input);
    describe(profile, 0);
    return profile;
}

/* A sample at a moment since the start. */
static void sample(struct profile *profile, uint32_t process, uint32_t tid, uint64_t time_ns,
                   uint64_t cpu_ns, const struct record_frame *frame)
{
    struct record_header *head = draft_sample(&draft, tid, cpu_ns, frame, 1);
    ((struct record_sample *)head)->time_ns = S + time_ns;
    profile_add(profile, process, head);
}

/* `n` samples, one each millisecond of CPU and wall time, from a moment on. */
static void works(struct profile *profile, uint32_t process, uint32_t tid, uint64_t from_ns,
                  unsigned n, const struct record_frame *frame)
{
    for (unsigned i = 1; i <= n; i++)
        sample(profile, process, tid, from_ns + i * MS, i * MS, frame);
}

static double seconds(const struct profile_part *part, double from_s, double to_s, double slice_s)
{
    double sum = 0;
    for (size_t i = 0; i < part->n_cells; i++) {
        double at_s = part->cells[i].slice * slice_s;
        if (part->cells[i].slice == PROFILE_NONE || (at_s >= from_s - 1e-9 && at_s < to_s - 1e-9))
            sum += part->cells[i].seconds;
    }
    return sum;
}

static double all(const struct profile_part *part)
{
    return seconds(part, 0, 1e9, 1);
}

static double cost(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

static double everything(const struct profile_result *result)
{
    double sum = 0;
    for (size_t i = 0; i < result->timeline.n_parts; i++)
        sum += all(&result->timeline.parts[i]);
    return sum;
}

static void each_thread_has_its_own_time(void)
{
    struct profile *profile = described();
    profile_add(profile, 0, draft_thread(&draft, 8, 0, 0));
    works(profile, 0, 7, 0, 100, in_f);
    works(profile, 0, 8, 0, 300, in_g);
    const struct profile_result *result = profile_finish(profile);
    const struct profile_timeline *timeline = &result->timeline;
    CHECK(timeline->n_parts == 2 && timeline->n_sites == 2);
    for (size_t i = 0; i < 2; i++) {
        const struct profile_part *part = &timeline->parts[result->processes[0].threads[i].part];
        CHECK_NEAR(all(part), i ? 0.3 : 0.1, 1e-9);
        CHECK(timeline->sites[part->cells[0].site].line == (i ? 22 : 11));
        CHECK(timeline->sites[part->cells[0].site].function_line == (i ? 20 : 10));
        CHECK(part->process == 0 && part->n_threads == 1);
    }
    profile_free(profile);
}

/* A fork keeps the numbers of the kernel's namespace or of Python: processes are told apart. */
static void processes_with_threads_of_the_same_number_are_told_apart(void)
{
    struct profile *profile = described();
    describe(profile, 1);
    profile_add(profile, 1, draft_thread(&draft, 7, 0, 0));
    works(profile, 0, 7, 0, 100, in_f);
    works(profile, 1, 7, 0, 50, in_g);
    works(profile, 1, 8, 0, 70, in_f);
    const struct profile_result *result = profile_finish(profile);
    double sums[2] = {0};
    for (size_t i = 0; i < result->timeline.n_parts; i++)
        sums[result->timeline.parts[i].process] += all(&result->timeline.parts[i]);
    CHECK_NEAR(sums[0], 0.1, 1e-9);
    CHECK_NEAR(sums[1], 0.12, 1e-9);
    CHECK_NEAR(everything(result), cost(&result->total), 1e-9);
    profile_free(profile);
}

static void time_is_in_its_slices_however_long_the_run(void)
{
    struct profile *profile = described();
    works(profile, 0, 7, 0, 1000, in_f);
    sample(profile, 0, 7, 3600 * S, 1001 * MS, in_g); /* an hour later */
    const struct profile_result *result = profile_finish(profile);
    const struct profile_timeline *timeline = &result->timeline;
    const struct profile_part *part = &timeline->parts[0];
    CHECK(timeline->n_slices > 128 && timeline->n_slices <= 256);
    CHECK(timeline->n_slices * timeline->slice_s >= 3600);
    CHECK_NEAR(timeline->length_s, 3600, 1e-6);
    CHECK(part->n_cells == 2);
    CHECK(part->cells[0].slice == 0 && part->cells[1].slice == timeline->n_slices - 1);
    CHECK_NEAR(part->cells[0].seconds, 1, 1e-9);
    profile_free(profile);
}

static void idle_time_lies_where_it_was(void)
{
    struct profile *profile = described();
    sample(profile, 0, 7, 2500 * MS, MS, in_f);
    struct record_wait *idle = draft_wait(&draft, RECORD_IDLE, 7, WAIT_SLEEP, 1005 * MS, in_g, 1);
    idle->time_ns = S + 2005 * MS; /* from 1.000 to 2.005 s */
    idle->span_us = 1005 * 1000;
    profile_add(profile, 0, &idle->head);
    const struct profile_result *result = profile_finish(profile);
    const struct profile_timeline *timeline = &result->timeline;
    const struct profile_part *part = &timeline->parts[0];
    CHECK_NEAR(timeline->slice_s, 0.01, 1e-12);
    CHECK_NEAR(seconds(part, 0, 1, 0.01), 0, 1e-9);
    CHECK_NEAR(seconds(part, 1, 1.5, 0.01), 0.5, 1e-9);
    CHECK_NEAR(seconds(part, 2, 2.01, 0.01), 0.005, 1e-9);
    CHECK_NEAR(all(part), 1.006, 1e-9);
    uint64_t n_looks = 0;
    for (size_t i = 0; i < part->n_cells; i++)
        n_looks += part->cells[i].kind == KIND_IDLE ? part->cells[i].n_seen : 0;
    CHECK(n_looks == 10);
    profile_free(profile);
}

/* Two threads share windows of 100 ms: half of the time each, all of the time long. */
static void shared_idle_time_fills_its_windows(void)
{
    struct profile *profile = described();
    profile_add(profile, 0, draft_thread(&draft, 8, 0, 0));
    for (uint64_t i = 1; i <= 20; i++)
        for (uint32_t tid = 7; tid <= 8; tid++) {
            struct record_wait *idle =
                draft_wait(&draft, RECORD_IDLE, tid, WAIT_SLEEP, 50 * MS, in_g, 1);
            idle->time_ns = S + i * 100 * MS;
            idle->span_us = 100 * 1000;
            profile_add(profile, 0, &idle->head);
        }
    const struct profile_timeline *timeline = &profile_finish(profile)->timeline;
    for (size_t i = 0; i < 2; i++) {
        CHECK_NEAR(all(&timeline->parts[i]), 1, 1e-9);
        for (double at_s = 0.1; at_s < 1.95; at_s += 0.1)
            CHECK_NEAR(seconds(&timeline->parts[i], at_s, at_s + 0.05, 0.01), 0.025, 1e-9);
    }
    profile_free(profile);
}

static void short_threads_are_one_part_under_the_name_of_their_function(void)
{
    struct profile *profile = described();
    for (uint32_t i = 0; i < 1000; i++) {
        profile_add(profile, 0, draft_thread(&draft, 100 + i, 0, 0));
        struct record_thread_name *name = draft_begin(&draft, RECORD_THREAD_NAME, sizeof *name);
        name->tid = 100 + i;
        name->entry = 2;
        profile_add(profile, 0, &name->head);
        if (i % 10 == 0)
            sample(profile, 0, 100 + i, i * MS, MS / 2, in_g);
        struct record_wait *wait = draft_wait(&draft, RECORD_WAIT, 100 + i, WAIT_LOCK, MS, in_g, 1);
        profile_add(profile, 0, &wait->head);
        profile_add(profile, 0, draft_thread_end(&draft, 100 + i, MS));
    }
    const struct profile_result *result = profile_finish(profile);
    const struct profile_timeline *timeline = &result->timeline;
    CHECK(timeline->n_parts == 2); /* the main thread is the other one */
    const struct profile_part *part = &timeline->parts[result->processes[0].threads[500].part];
    CHECK_STR(part->name, "g");
    CHECK(part->n_threads == 1000);
    CHECK_NEAR(all(part), 1, 1e-9);
    CHECK(part->n_waits == 1);
    CHECK_NEAR(part->waits[0].seconds, 1, 1e-9);
    profile_free(profile);
}

/* A worker that mostly waits: from the start to a moment, with some CPU time. */
static void waits(struct profile *profile, uint32_t tid, uint64_t cpu_ns,
                  const struct record_frame *seen)
{
    struct record_header *head = draft_thread(&draft, tid, 0, 0);
    ((struct record_thread *)head)->time_ns = S;
    profile_add(profile, 0, head);
    struct record_thread_name *name = draft_begin(&draft, RECORD_THREAD_NAME, sizeof *name);
    name->tid = tid;
    name->entry = 2;
    profile_add(profile, 0, &name->head);
    if (seen)
        sample(profile, 0, tid, S, cpu_ns, seen);
    struct record_wait *idle = draft_wait(&draft, RECORD_IDLE, tid, WAIT_IO, tid * MS, in_f, 1);
    profile_add(profile, 0, &idle->head);
    head = draft_thread_end(&draft, tid, cpu_ns);
    ((struct record_thread_end *)head)->time_ns = 3 * S;
    profile_add(profile, 0, head);
}

static void few_threads_that_live_long_are_told_apart_though_they_have_few_samples(void)
{
    struct profile *profile = described();
    for (uint32_t i = 0; i < 4; i++)
        waits(profile, 100 + i, (i + 1) * MS, i == 2 ? in_g : NULL);
    const struct profile_result *result = profile_finish(profile);
    const struct profile_timeline *timeline = &result->timeline;
    CHECK(timeline->n_parts == 5);
    for (uint32_t i = 0; i < 4; i++) {
        const struct profile_part *part =
            &timeline->parts[result->processes[0].threads[i + 1].part];
        CHECK(part->n_threads == 1);
        CHECK_NEAR(part->cpu_s, (i + 1) * 1e-3, 1e-9);
        CHECK_NEAR(all(part), (i + 1) * 1e-3 + (100 + i) * 1e-3, 1e-9);
    }
    CHECK_NEAR(everything(result), cost(&result->total), 1e-9);
    profile_free(profile);
}

static void many_threads_and_moments_stay_few_and_whole(void)
{
    struct profile *profile = described();
    for (uint32_t t = 0; t < 1000; t++) {
        profile_add(profile, 0, draft_thread(&draft, 100 + t, 0, 0));
        for (unsigned i = 1; i <= 80 + t % 7; i++)
            sample(profile, 0, 100 + t, i * 50 * MS, i * MS, i % 3 ? in_f : in_g);
    }
    const struct profile_result *result = profile_finish(profile);
    const struct profile_timeline *timeline = &result->timeline;
    size_t n_cells = 0, n_settled = 0, n_threads = 0;
    double loose = 0, rest = 0;
    CHECK(timeline->n_parts == 257);
    for (size_t i = 0; i < timeline->n_parts; i++) {
        const struct profile_part *part = &timeline->parts[i];
        n_threads += part->n_threads;
        for (size_t k = 0; k < part->n_cells; k++) {
            bool is_loose = part->cells[k].slice == PROFILE_NONE;
            *(is_loose ? &n_settled : &n_cells) += 1;
            loose += is_loose ? part->cells[k].seconds : 0;
        }
        for (size_t k = 0; k < part->n_rest; k++)
            rest += part->rest[k].seconds;
    }
    CHECK(n_threads == 1001);
    CHECK(n_cells == 16384 && n_settled > 0 && n_settled <= 1024);
    CHECK_NEAR(rest, loose, 1e-9);
    CHECK_STR(timeline->parts[256].name, "other threads");
    CHECK_NEAR(everything(result), cost(&result->total), 1e-6);
    profile_free(profile);
}

int main(void)
{
    RUN(each_thread_has_its_own_time);
    RUN(processes_with_threads_of_the_same_number_are_told_apart);
    RUN(time_is_in_its_slices_however_long_the_run);
    RUN(idle_time_lies_where_it_was);
    RUN(shared_idle_time_fills_its_windows);
    RUN(short_threads_are_one_part_under_the_name_of_their_function);
    RUN(few_threads_that_live_long_are_told_apart_though_they_have_few_samples);
    RUN(many_threads_and_moments_stay_few_and_whole);
    return 0;
}
