/* SPDX-License-Identifier: Apache-2.0 */
/* Records made by hand in, sums out. */
#include "analyze/profile.h"

#include "../check.h"
#include "../records.h"

#define MS UINT64_C(1000000)

static struct draft draft;

static struct profile *new_profile(size_t max_stacks)
{
    const struct profile_input input = {.filter = {.program_path = "/home/me"},
                                        .max_stacks = max_stacks};
    return profile_new(&input);
}

/* A process with f() at line 10 (code 1), <module> at line 1 (code 2), both of prog.py, and a
 * library function (code 3); its main thread has the number of the process. */
static void describe(struct profile *profile, uint32_t process, uint32_t pid)
{
    profile_add(profile, process, draft_process(&draft, pid, "/home/me"));
    profile_add(profile, process, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, process, draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10));
    profile_add(profile, process, draft_code(&draft, 2, "prog.py", "<module>", NULL, 1));
    profile_add(profile, process, draft_code(&draft, 3, "/usr/lib/python3.9/re.py", "g", NULL, 5));
    profile_add(profile, process, draft_thread(&draft, pid, 100 * MS, THREAD_IS_MAIN));
}

static void sample(struct profile *profile, uint32_t process, uint32_t tid, uint64_t cpu_ns,
                   const struct record_frame *frames, size_t n)
{
    profile_add(profile, process, draft_sample(&draft, tid, cpu_ns, frames, n));
}

static double seconds(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

static const struct profile_file *file_named(const struct profile_result *result, const char *path)
{
    for (size_t i = 0; i < result->n_files; i++)
        if (strcmp(result->files[i].path, path) == 0)
            return &result->files[i];
    return NULL;
}

static double line_s(const struct profile_result *result, const char *path, int lineno)
{
    const struct profile_file *file = file_named(result, path);
    for (size_t i = 0; file && i < file->n_lines; i++)
        if (file->lines[i].lineno == lineno)
            return seconds(&file->lines[i].cost);
    return 0;
}

/* What must hold of every result: nothing is lost between lines, functions, stacks and threads. */
static void check_sums(const struct profile_result *result)
{
    double lines = 0, functions = 0, stacks = 0, threads = 0;
    uint64_t n_lines = 0, n_stacks = 0;
    for (size_t i = 0; i < result->n_files; i++) {
        for (size_t k = 0; k < result->files[i].n_lines; k++) {
            lines += seconds(&result->files[i].lines[k].cost);
            n_lines += result->files[i].lines[k].cost.n_samples;
        }
        for (size_t k = 0; k < result->files[i].n_functions; k++)
            functions += seconds(&result->files[i].functions[k].cost);
    }
    for (size_t i = 0; i < result->n_stacks; i++) {
        stacks += seconds(&result->stacks[i].cost);
        n_stacks += result->stacks[i].cost.n_samples;
    }
    for (size_t i = 0; i < result->n_processes; i++)
        threads += result->processes[i].cpu_s;
    double total = seconds(&result->total), tolerance = 1e-9 * (total + 1);
    CHECK_NEAR(lines, total, tolerance);
    CHECK_NEAR(functions, total, tolerance);
    CHECK_NEAR(stacks, total, tolerance);
    CHECK_NEAR(threads, total + result->outside_s, tolerance);
    CHECK(n_lines == result->total.n_samples && n_stacks == n_lines);
}

static void sample_weighs_the_cpu_time_since_the_one_before(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame in_f[] = {{1, 2}, {2, 4}}, in_module[] = {{2, 6}};
    sample(profile, 0, 7, 104 * MS, in_f, 2);
    sample(profile, 0, 7, 105 * MS, in_module, 1);
    sample(profile, 0, 7, 125 * MS, in_f, 2);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 11), 0.024, 1e-12);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 4), 0.001, 1e-12);
    CHECK(result->n_samples == 3 && result->n_files == 1 && result->n_unknown_records == 0);
    CHECK(result->files[0].n_functions == 2);
    CHECK_STR(result->files[0].functions[0].name, "<module>");
    CHECK_STR(result->files[0].functions[1].name, "f");
    CHECK_NEAR(seconds(&result->files[0].functions[1].cost), 0.024, 1e-12);
    CHECK(result->n_stacks == 2 && result->stacks[0].n_frames == 2);
    CHECK_STR(result->stacks[0].frames[0].function, "<module>");
    CHECK(result->stacks[0].frames[0].line == 3 && result->stacks[0].frames[1].line == 11);
    CHECK(result->main_thread_ident == 1007);
    CHECK_STR(result->processes[0].python_version, "3.9.18");
    CHECK_STR(result->processes[0].arguments[1], "prog.py");
    CHECK(result->processes[0].arguments[2] == NULL);
    check_sums(result);
    profile_free(profile);
}

static void few_heavy_samples_tell_less_than_their_number(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame in_f[] = {{1, 2}, {2, 4}};
    for (uint64_t i = 1; i <= 100; i++)
        sample(profile, 0, 7, (100 + i) * MS, in_f, 2);
    CHECK(profile_finish(profile)->n_even == 100);
    sample(profile, 0, 7, 300 * MS, in_f, 2); /* as heavy as all the others */
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_samples == 101 && result->n_even == 4);
    profile_free(profile);
}

static void rest_of_a_thread_is_spread_over_its_samples(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame a[] = {{1, 0}}, b[] = {{1, 2}};
    sample(profile, 0, 7, 103 * MS, a, 1);
    sample(profile, 0, 7, 104 * MS, b, 1);
    profile_add(profile, 0, draft_thread_end(&draft, 7, 108 * MS));
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 10), 0.006, 1e-12);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 11), 0.002, 1e-12);
    CHECK_NEAR(result->processes[0].threads[0].cpu_s, 0.008, 1e-12);
    check_sums(result);
    profile_free(profile);
}

static void thread_without_samples_is_outside(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    profile_add(profile, 0, draft_thread(&draft, 8, 1 * MS, 0));
    profile_add(profile, 0, draft_thread_end(&draft, 8, 3 * MS));
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(result->outside_s, 0.002, 1e-12);
    CHECK_NEAR(result->processes[0].outside_s, 0.002, 1e-12);
    CHECK(result->processes[0].n_threads == 2);
    check_sums(result);
    profile_free(profile);
}

static void number_of_a_thread_can_come_again(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame a[] = {{1, 0}}, b[] = {{1, 2}};
    profile_add(profile, 0, draft_thread(&draft, 8, 0, 0));
    sample(profile, 0, 8, 5 * MS, a, 1);
    profile_add(profile, 0, draft_thread(&draft, 8, 1 * MS, 0));
    sample(profile, 0, 8, 3 * MS, b, 1);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 10), 0.005, 1e-12);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 11), 0.002, 1e-12);
    CHECK(result->processes[0].n_threads == 3);
    check_sums(result);
    profile_free(profile);
}

static void library_time_goes_to_the_innermost_profiled_line(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame in_library[] = {{3, 0}, {1, 8}, {3, 2}, {2, 0}};
    const struct record_frame only_library[] = {{3, 0}}, unknown_code[] = {{0, 0}, {99, 0}};
    sample(profile, 0, 7, 102 * MS, in_library, 4);
    sample(profile, 0, 7, 103 * MS, only_library, 1);
    sample(profile, 0, 7, 104 * MS, unknown_code, 2);
    sample(profile, 0, 7, 105 * MS, NULL, 0);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 14), 0.002, 1e-12);
    CHECK(result->n_files == 1 && result->n_stacks == 1 && result->stacks[0].n_frames == 2);
    CHECK_NEAR(result->outside_s, 0.003, 1e-12);
    check_sums(result);
    profile_free(profile);
}

static void native_thread_is_charged_to_its_creators_line(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame in_f[] = {{1, 2}, {2, 4}}, in_module[] = {{2, 6}};
    profile_add(profile, 0, draft_thread(&draft, 8, 0, 0));
    struct record_thread *made = (struct record_thread *)draft_thread(&draft, 9, 0, 0);
    made->creator_tid = 8;
    profile_add(profile, 0, &made->head);
    draft_sample(&draft, 9, 1 * MS, NULL, 0)->flags = SAMPLE_NO_THREAD_STATE;
    profile_add(profile, 0, draft_head(&draft)); /* before any Python: outside */
    sample(profile, 0, 7, 101 * MS, in_module, 1);
    draft_sample(&draft, 9, 3 * MS, NULL, 0)->flags = SAMPLE_NO_THREAD_STATE;
    profile_add(profile, 0, draft_head(&draft)); /* its creator was not seen yet: main thread */
    sample(profile, 0, 8, 1 * MS, in_f, 2);
    draft_sample(&draft, 9, 7 * MS, NULL, 0)->flags = SAMPLE_NO_THREAD_STATE;
    profile_add(profile, 0, draft_head(&draft));
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 11), 0.005, 1e-12);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 4), 0.003, 1e-12);
    CHECK_NEAR(result->total.native_s, 0.006, 1e-12);
    CHECK_NEAR(result->outside_s, 0.001, 1e-12);
    CHECK(result->processes[0].threads[2].is_native && !result->processes[0].threads[1].is_native);
    check_sums(result);
    profile_free(profile);
}

static void processes_are_merged_by_file_and_line(void)
{
    struct profile *profile = new_profile(0);
    const struct record_frame in_f[] = {{1, 2}, {2, 4}};
    describe(profile, 4000000000u, 7); /* numbers are names, not indices */
    describe(profile, 1, 8);
    sample(profile, 4000000000u, 7, 102 * MS, in_f, 2);
    sample(profile, 1, 8, 103 * MS, in_f, 2);
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_processes == 2 && result->n_files == 1 && result->n_stacks == 1);
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 11), 0.005, 1e-12);
    CHECK(result->processes[0].pid == 7 && result->processes[1].pid == 8);
    CHECK_NEAR(result->processes[1].cpu_s, 0.003, 1e-12);
    CHECK(result->stacks[0].cost.n_samples == 2);
    check_sums(result);
    profile_free(profile);
}

static void comprehension_belongs_to_the_function_around_it(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    profile_add(profile, 0, draft_code(&draft, 4, "prog.py", "<listcomp>", NULL, 12));
    profile_add(
        profile, 0,
        draft_code(&draft, 5, "prog.py", "<genexpr>", "A.g.<locals>.<listcomp>.<genexpr>", 30));
    const struct record_frame old[] = {{4, 0}, {3, 0}, {1, 4}, {2, 0}}, qualified[] = {{5, 0}};
    sample(profile, 0, 7, 102 * MS, old, 4);
    sample(profile, 0, 7, 103 * MS, qualified, 1);
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->files[0].n_functions == 2);
    CHECK_STR(result->files[0].functions[0].name, "f");
    CHECK(result->files[0].functions[0].first_line == 10);
    CHECK_STR(result->files[0].functions[1].name, "A.g");
    CHECK_NEAR(line_s(result, "/home/me/prog.py", 12), 0.002, 1e-12);
    profile_free(profile);
}

static void stacks_are_merged_without_loss(void)
{
    struct profile *profile = new_profile(20);
    describe(profile, 0, 7);
    struct record_frame frames[12];
    uint32_t noise = 1;
    for (uint64_t i = 1; i <= 3000; i++) {
        for (size_t k = 0; k < 12; k++) {
            noise = noise * 1664525u + 1013904223u;
            frames[k] = (struct record_frame){1, (int32_t)(noise >> 29) * 2};
        }
        frames[11] = (struct record_frame){2, 0};
        size_t n = i % 10 == 0 ? 2 : 12; /* every tenth is one of a few short, dear stacks */
        frames[n - 1] = (struct record_frame){2, 0};
        sample(profile, 0, 7, 100 * MS + i * MS, frames, n);
        draft_sample(&draft, 9, i * MS, NULL, 0)->flags = SAMPLE_NO_THREAD_STATE;
        profile_add(profile, 0, draft_head(&draft));
        if (i == 1500)
            check_sums(profile_finish(profile));
    }
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_stacks <= 20 && result->n_stacks > 10);
    CHECK(!result->stacks[result->n_stacks - 1].is_merged || result->stacks[0].is_merged);
    for (size_t i = 0; i < result->n_stacks; i++) {
        CHECK(result->stacks[i].n_frames > 0);
        CHECK_STR(result->stacks[i].frames[0].function, "<module>");
    }
    CHECK_NEAR(seconds(&result->total), 3.0 + 2.999, 1e-9);
    check_sums(result);
    profile_free(profile);
}

static void one_stack_can_stand_for_all(void)
{
    struct profile *profile = new_profile(1);
    describe(profile, 0, 7);
    for (int32_t i = 0; i < 20; i++) {
        const struct record_frame frames[] = {{1, 0}, {2, 2 * i}};
        sample(profile, 0, 7, 100 * MS + (uint64_t)(i + 1) * MS, frames, 2);
    }
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_stacks == 1 && result->stacks[0].is_merged);
    check_sums(result);
    profile_free(profile);
}

static void sample_times_are_thinned_evenly(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame frames[] = {{1, 0}};
    for (uint64_t i = 1; i <= 10000; i++)
        sample(profile, 0, 7, 100 * MS + i * MS, frames, 1);
    const struct profile_line *line = &profile_finish(profile)->files[0].lines[0];
    CHECK(line->n_sample_times > 250 && line->n_sample_times <= 500);
    double step = line->sample_times_s[1] - line->sample_times_s[0];
    for (size_t i = 1; i < line->n_sample_times; i++)
        CHECK_NEAR(line->sample_times_s[i] - line->sample_times_s[i - 1], step, 1e-6);
    CHECK(line->sample_times_s[line->n_sample_times - 1] > 10.9);
    profile_free(profile);
}

static void finishing_again_sees_the_records_since(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame frames[] = {{1, 0}};
    CHECK(seconds(&profile_finish(profile)->total) == 0);
    sample(profile, 0, 7, 101 * MS, frames, 1);
    CHECK_NEAR(seconds(&profile_finish(profile)->total), 0.001, 1e-12);
    CHECK_NEAR(seconds(&profile_finish(profile)->total), 0.001, 1e-12);
    sample(profile, 0, 7, 103 * MS, frames, 1);
    profile_add(profile, 0, draft_thread_end(&draft, 7, 104 * MS));
    CHECK_NEAR(seconds(&profile_finish(profile)->total), 0.004, 1e-12);
    profile_free(profile);
}

static void clock_that_goes_back_stands_still(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    const struct record_frame frames[] = {{1, 0}};
    sample(profile, 0, 7, 105 * MS, frames, 1);
    sample(profile, 0, 7, 101 * MS, frames, 1);
    sample(profile, 0, 7, 106 * MS, frames, 1);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(seconds(&result->total), 0.006, 1e-12);
    CHECK(result->total.n_samples == 3);
    check_sums(result);
    profile_free(profile);
}

static void malformed_records_are_counted_and_skipped(void)
{
    struct profile *profile = new_profile(0);
    describe(profile, 0, 7);
    uint64_t n = 0;
    const struct record_frame frames[] = {{1, 0}};
    /* Records cut short at every multiple of eight. */
    for (uint32_t size = 8; size < 40 + 16; size += 8, n++) {
        draft_sample(&draft, 7, 101 * MS, frames, 1);
        ((struct record_sample *)draft.bytes)->n_pcs = 1;
        draft_head(&draft)->size = size;
        profile_add(profile, 0, draft_head(&draft));
    }
    for (uint32_t size = 8; size < 64 + 8; size += 8, n++) {
        draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10)->size = size;
        profile_add(profile, 0, draft_head(&draft));
    }
    struct record_code *code = (struct record_code *)draft_code(&draft, 1, "x", "f", NULL, 10);
    code->filename.n_chars = 0x80000001u; /* times 2 is 2 in 32 bits */
    code->filename.width = 2;
    profile_add(profile, 0, &code->head);
    code = (struct record_code *)draft_code(&draft, UINT32_MAX, "x", "f", NULL, 10);
    profile_add(profile, 0, &code->head);
    code = (struct record_code *)draft_code(&draft, 9, "x", "f", NULL, 10);
    code->name.width = 3;
    profile_add(profile, 0, &code->head);
    profile_add(profile, 0, draft_thread_end(&draft, 1234, 0));
    struct record_header kinds[] = {{8, 0, 0}, {8, 999, 0}, {8, RECORD_RUN, 0}, {8, RECORD_END, 0}};
    for (size_t i = 0; i < 4; i++)
        profile_add(profile, 0, &kinds[i]);
    profile_add(profile, 0, draft_process(&draft, 7, "/")); /* a second time */
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_unknown_records == n + 9);
    CHECK(result->n_samples == 0);
    profile_free(profile);
}

static void empty_profile_has_an_empty_result(void)
{
    struct profile *profile = new_profile(0);
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_files == 0 && result->n_stacks == 0 && result->n_processes == 0);
    CHECK_STR(result->program, "");
    CHECK(result->arguments[0] == NULL);
    profile_free(profile);
}

int main(void)
{
    RUN(sample_weighs_the_cpu_time_since_the_one_before);
    RUN(few_heavy_samples_tell_less_than_their_number);
    RUN(rest_of_a_thread_is_spread_over_its_samples);
    RUN(thread_without_samples_is_outside);
    RUN(number_of_a_thread_can_come_again);
    RUN(library_time_goes_to_the_innermost_profiled_line);
    RUN(native_thread_is_charged_to_its_creators_line);
    RUN(processes_are_merged_by_file_and_line);
    RUN(comprehension_belongs_to_the_function_around_it);
    RUN(stacks_are_merged_without_loss);
    RUN(one_stack_can_stand_for_all);
    RUN(sample_times_are_thinned_evenly);
    RUN(finishing_again_sees_the_records_since);
    RUN(clock_that_goes_back_stands_still);
    RUN(malformed_records_are_counted_and_skipped);
    RUN(empty_profile_has_an_empty_result);
    return 0;
}
