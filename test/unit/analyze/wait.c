/* SPDX-License-Identifier: Apache-2.0 */
/* Waits and idle time made by hand in, sums out. */
#include "analyze/profile.h"

#include "../check.h"
#include "../records.h"

#define MS UINT64_C(1000000)

static struct draft draft;
static const struct record_frame in_f[] = {{1, 2}, {2, 4}}, in_module[] = {{2, 6}};
static const struct record_frame in_library[] = {{3, 0}, {1, 4}}, only_library[] = {{3, 0}};

/* f() at line 10 (code 1), <module> at line 1 (code 2), a library function (code 3), the main
 * thread 7 and another thread 8. */
static struct profile *described(size_t max_stacks)
{
    const struct profile_input input = {.filter = {.program_path = "/home/me"},
                                        .max_stacks = max_stacks};
    struct profile *profile = profile_new(&input);
    struct record_process *process = (void *)draft_process(&draft, 7, "/home/me");
    process->n_cpus = 2;
    profile_add(profile, 0, &process->head);
    profile_add(profile, 0, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, 0, draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10));
    profile_add(profile, 0, draft_code(&draft, 2, "prog.py", "<module>", NULL, 1));
    profile_add(profile, 0, draft_code(&draft, 3, "/usr/lib/python3.9/re.py", "g", NULL, 5));
    profile_add(profile, 0, draft_thread(&draft, 7, 0, THREAD_IS_MAIN));
    profile_add(profile, 0, draft_thread(&draft, 8, 0, 0));
    return profile;
}

static void idle(struct profile *profile, uint32_t tid, uint64_t wait_ns,
                 const struct record_frame *frames, size_t n)
{
    profile_add(profile, 0,
                &draft_wait(&draft, RECORD_IDLE, tid, WAIT_SLEEP, wait_ns, frames, n)->head);
}

static void wait(struct profile *profile, uint32_t tid, enum wait_kind kind, uint64_t wait_ns,
                 const struct record_frame *frames, size_t n)
{
    profile_add(profile, 0, &draft_wait(&draft, RECORD_WAIT, tid, kind, wait_ns, frames, n)->head);
}

static const struct profile_line *line_at(const struct profile_result *result, int lineno)
{
    static const struct profile_line none;
    for (size_t i = 0; result->n_files && i < result->files[0].n_lines; i++)
        if (result->files[0].lines[i].lineno == lineno)
            return &result->files[0].lines[i];
    return &none;
}

static double seconds(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

/* CPU and idle time are charged to lines or to none, and stacks have what lines have. */
static void check_sums(const struct profile_result *result)
{
    double stacks = 0, cpu = 0, idle_s = 0;
    for (size_t i = 0; i < result->n_stacks; i++)
        stacks += seconds(&result->stacks[i].cost);
    for (size_t i = 0; i < result->n_processes; i++) {
        cpu += result->processes[i].cpu_s;
        idle_s += result->processes[i].idle_s;
    }
    CHECK_NEAR(stacks, seconds(&result->total), 1e-9);
    CHECK_NEAR(cpu, seconds(&result->total) - result->total.idle_s + result->outside_s, 1e-9);
    CHECK_NEAR(idle_s, result->total.idle_s + result->outside_idle_s, 1e-9);
}

static void idle_time_is_system_time_of_the_innermost_profiled_line(void)
{
    struct profile *profile = described(0);
    profile_add(profile, 0, draft_sample(&draft, 7, 100 * MS, in_f, 2));
    idle(profile, 7, 300 * MS, in_library, 2);
    const struct profile_result *result = profile_finish(profile);
    const struct profile_line *line = line_at(result, 12);
    CHECK_NEAR(line->cost.system_s, 0.3, 1e-12);
    CHECK_NEAR(line->cost.idle_s, 0.3, 1e-12);
    CHECK(line->cost.n_samples == 0 && line->cost.n_looks == 10);
    CHECK_NEAR(seconds(&result->total), 0.4, 1e-12);
    CHECK(result->total.n_samples == 1 && result->total.n_looks == 10);
    CHECK(result->n_stacks == 2 && result->stacks[0].frames[0].line == 12);
    CHECK_NEAR(result->files[0].functions[0].cost.idle_s, 0.3, 1e-12);
    check_sums(result);
    profile_free(profile);
}

static void idle_time_without_frames_goes_to_the_line_last_seen(void)
{
    struct profile *profile = described(0);
    idle(profile, 7, 50 * MS, NULL, 0); /* nothing was seen yet */
    idle(profile, 99, 20 * MS, NULL, 0);
    idle(profile, 7, 30 * MS, only_library, 1);
    profile_add(profile, 0, draft_sample(&draft, 7, 100 * MS, in_f, 2));
    idle(profile, 7, 300 * MS, NULL, 0);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_at(result, 11)->cost.idle_s, 0.3, 1e-12);
    CHECK_NEAR(result->outside_idle_s, 0.1, 1e-12);
    CHECK_NEAR(result->processes[0].idle_s, 0.4, 1e-12);
    check_sums(result);
    profile_free(profile);
}

static void waits_stand_apart_from_the_time(void)
{
    struct profile *profile = described(0);
    wait(profile, 7, WAIT_SLEEP, 300 * MS, in_f, 2);
    wait(profile, 8, WAIT_LOCK, 700 * MS, in_f, 2);
    wait(profile, 8, WAIT_LOCK, 100 * MS, only_library, 1);
    const struct profile_result *result = profile_finish(profile);
    CHECK(seconds(&result->total) == 0 && result->n_stacks == 0);
    CHECK_NEAR(line_at(result, 11)->waits_s[WAIT_SLEEP], 0.3, 1e-12);
    CHECK_NEAR(line_at(result, 11)->waits_s[WAIT_LOCK], 0.7, 1e-12);
    CHECK_NEAR(result->files[0].functions[0].waits_s[WAIT_LOCK], 0.7, 1e-12);
    CHECK_NEAR(result->processes[0].threads[0].waits_s[WAIT_SLEEP], 0.3, 1e-12);
    CHECK_NEAR(result->processes[0].threads[1].waits_s[WAIT_LOCK], 0.8, 1e-12);
    CHECK_NEAR(result->waits_s[WAIT_LOCK], 0.8, 1e-12);
    CHECK(!result->processes[0].threads[1].is_native && result->waits_seen == SEEN_OUTSIDE);
    check_sums(result);
    profile_free(profile);
}

static void starved_time_is_shared_by_where_the_thread_ran(void)
{
    struct profile *profile = described(0);
    wait(profile, 7, WAIT_STARVED, 5 * MS, NULL, 0); /* on no line */
    for (uint64_t i = 1; i <= 8; i++)
        profile_add(profile, 0, draft_sample(&draft, 7, i * MS, i % 4 ? in_f : in_module, 1));
    wait(profile, 7, WAIT_STARVED, 80 * MS, NULL, 0);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_at(result, 11)->waits_s[WAIT_STARVED], 0.06, 1e-12);
    CHECK_NEAR(line_at(result, 4)->waits_s[WAIT_STARVED], 0.02, 1e-12);
    CHECK_NEAR(result->waits_s[WAIT_STARVED], 0.085, 1e-12);
    profile_free(profile);
}

static void gil_wait(struct profile *profile, uint64_t time_ns, uint64_t wait_ns,
                     uint64_t holder_ident, const struct record_frame *frames, size_t n)
{
    struct record_wait *record = draft_wait(&draft, RECORD_WAIT, 7, WAIT_GIL, wait_ns, frames, n);
    record->time_ns = time_ns;
    record->holder_ident = holder_ident;
    profile_add(profile, 0, &record->head);
}

static void gil_is_held_by_the_line_of_the_latest_sample_before(void)
{
    struct profile *profile = described(0);
    const uint64_t start_ns = 1000 * MS; /* what draft_sample adds to the thread's clock */
    profile_add(profile, 0, draft_sample(&draft, 8, 10 * MS, in_module, 1));
    profile_add(profile, 0, draft_sample(&draft, 8, 20 * MS, in_library, 2));
    gil_wait(profile, start_ns + 15 * MS, 4 * MS, 1008, in_f, 2);
    gil_wait(profile, start_ns + 5 * MS, 1 * MS, 1008, in_f, 2); /* before any: the first one */
    gil_wait(profile, start_ns + 20 * MS, 7 * MS, 1008, in_f, 2);
    gil_wait(profile, start_ns + 90 * MS, 2 * MS, 1008, in_f, 2);
    gil_wait(profile, start_ns + 20 * MS, 1 * MS, 4711, in_f, 2); /* nobody knows that one */
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_gil == 3);
    CHECK(result->gil[0].waiter.line == 11 && result->gil[0].holder.line == 12);
    CHECK_NEAR(result->gil[0].seconds, 0.009, 1e-12);
    CHECK(result->gil[1].holder.line == 4);
    CHECK_NEAR(result->gil[1].seconds, 0.005, 1e-12);
    CHECK(result->gil[2].holder.path == NULL && !result->gil[2].is_other);
    CHECK_STR(result->gil[0].waiter.path, "/home/me/prog.py");
    profile_free(profile);
}

static void gil_pairs_are_merged_without_loss(void)
{
    struct profile *profile = described(0);
    double sum = 0, all = 0;
    for (int32_t i = 0; i < 50; i++) {
        for (int32_t k = 0; k < 50; k++) {
            const struct record_frame at[] = {{2, 2 * i}}, holds[] = {{1, 2 * k}};
            profile_add(profile, 0, draft_sample(&draft, 8, (uint64_t)(50 * i + k) * MS, holds, 1));
            gil_wait(profile, 100000 * MS, (uint64_t)(1 + i * k) * MS, 1008, at, 1);
            sum += (1 + i * k) / 1e3;
        }
    }
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_gil == 200 && result->gil[199].is_other);
    for (size_t i = 0; i < result->n_gil; i++) {
        all += result->gil[i].seconds;
        CHECK(i == 0 || i == 199 || result->gil[i].seconds <= result->gil[i - 1].seconds);
    }
    CHECK_NEAR(all, sum, 1e-9);
    CHECK(result->gil[0].waiter.line == 50 && result->gil[0].holder.line == 59);
    profile_free(profile);
}

static void code_objects_described_from_outside_have_numbers_of_their_own(void)
{
    struct profile *profile = described(0);
    const struct record_frame outside[] = {{CODE_ID_OUTSIDE | 1, 2}, {1, 0}};
    const struct record_frame unknown[] = {{CODE_ID_OUTSIDE | 2, 2}, {UINT32_MAX, 0}};
    profile_add(profile, 0, draft_code(&draft, CODE_ID_OUTSIDE | 1, "prog.py", "h", NULL, 40));
    idle(profile, 7, 30 * MS, outside, 2);
    idle(profile, 7, 20 * MS, unknown, 2);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_at(result, 41)->cost.idle_s, 0.03, 1e-12);
    CHECK(result->stacks[0].n_frames == 2 && result->stacks[0].frames[0].line == 10);
    CHECK_NEAR(result->outside_idle_s, 0.02, 1e-12);
    profile_add(profile, 0, draft_code(&draft, CODE_ID_OUTSIDE, "prog.py", "h", NULL, 40));
    profile_add(profile, 0, draft_code(&draft, UINT32_MAX, "prog.py", "h", NULL, 40));
    CHECK(profile_finish(profile)->n_unknown_records == 2);
    profile_free(profile);
}

static void waits_are_taken_after_the_end_of_thread_and_process(void)
{
    struct profile *profile = described(0);
    profile_add(profile, 0, draft_sample(&draft, 7, 1 * MS, in_f, 2));
    profile_add(profile, 0, draft_thread_end(&draft, 7, 2 * MS));
    struct record_end *end = draft_begin(&draft, RECORD_END, sizeof *end);
    end->time_ns = 1500 * MS;
    profile_add(profile, 0, &end->head);
    idle(profile, 7, 400 * MS, NULL, 0);
    wait(profile, 7, WAIT_CHILD, 400 * MS, in_f, 2);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_at(result, 11)->cost.idle_s, 0.4, 1e-12);
    CHECK_NEAR(result->processes[0].threads[0].waits_s[WAIT_CHILD], 0.4, 1e-12);
    CHECK_NEAR(result->elapsed_s, 0.5, 1e-9); /* the end is when RECORD_END says it was */
    check_sums(result);
    profile_free(profile);
}

static void idle_stacks_are_merged_without_loss(void)
{
    struct profile *profile = described(5);
    for (int32_t i = 0; i < 400; i++) {
        const struct record_frame frames[] = {{1, i % 20 * 2}, {1, i / 20 * 2}, {2, 0}};
        if (i % 2)
            idle(profile, 7, MS, frames, 3);
        else
            profile_add(profile, 0, draft_sample(&draft, 7, (uint64_t)(i + 1) * MS, frames, 3));
    }
    idle(profile, 7, MS, NULL, 0);
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_stacks <= 5);
    CHECK_NEAR(result->total.idle_s, 0.201, 1e-9);
    check_sums(result);
    profile_free(profile);
}

static void cores_are_those_busy_while_the_line_was_at_work(void)
{
    struct profile *profile = described(0);
    profile_add(profile, 0, draft_sample(&draft, 7, 100 * MS, in_module, 1));
    CHECK_NEAR(line_at(profile_finish(profile), 4)->core_utilization, 0.5, 1e-9);
    wait(profile, 7, WAIT_IO, 100 * MS, in_module, 1);
    idle(profile, 7, 100 * MS, in_module, 1); /* the same moments once more */
    CHECK_NEAR(line_at(profile_finish(profile), 4)->core_utilization, 0.25, 1e-9);
    /* A thread of a library works for the line while the line's own thread runs. */
    draft_sample(&draft, 8, 200 * MS, NULL, 0)->flags = SAMPLE_NO_THREAD_STATE;
    profile_add(profile, 0, draft_head(&draft));
    CHECK_NEAR(line_at(profile_finish(profile), 4)->core_utilization, 0.75, 1e-9);
    draft_sample(&draft, 8, 900 * MS, NULL, 0)->flags = SAMPLE_NO_THREAD_STATE;
    profile_add(profile, 0, draft_head(&draft));
    CHECK_NEAR(line_at(profile_finish(profile), 4)->core_utilization, 1, 0);
    profile_free(profile);
}

static void malformed_waits_are_counted_and_skipped(void)
{
    struct profile *profile = described(0);
    uint64_t n = 0;
    for (uint32_t size = 8; size < 48 + 16; size += 8, n += 2) {
        for (uint16_t kind = RECORD_WAIT; kind <= RECORD_IDLE; kind++) {
            draft_wait(&draft, kind, 7, WAIT_IO, MS, in_f, 2)->head.size = size;
            profile_add(profile, 0, draft_head(&draft));
        }
    }
    wait(profile, 7, WAIT_KINDS, MS, in_f, 2);
    draft_wait(&draft, RECORD_IDLE, 7, WAIT_IO, MS, in_f, 2)->kind = 255;
    profile_add(profile, 0, draft_head(&draft));
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_unknown_records == n + 2);
    CHECK(result->waits_seen == SEEN_NOT && result->n_files == 0 && result->outside_idle_s == 0);
    profile_free(profile);
}

int main(void)
{
    RUN(idle_time_is_system_time_of_the_innermost_profiled_line);
    RUN(idle_time_without_frames_goes_to_the_line_last_seen);
    RUN(waits_stand_apart_from_the_time);
    RUN(starved_time_is_shared_by_where_the_thread_ran);
    RUN(gil_is_held_by_the_line_of_the_latest_sample_before);
    RUN(gil_pairs_are_merged_without_loss);
    RUN(code_objects_described_from_outside_have_numbers_of_their_own);
    RUN(waits_are_taken_after_the_end_of_thread_and_process);
    RUN(idle_stacks_are_merged_without_loss);
    RUN(cores_are_those_busy_while_the_line_was_at_work);
    RUN(malformed_waits_are_counted_and_skipped);
    return 0;
}
