/* SPDX-License-Identifier: Apache-2.0 */
/* Many short threads in, their time on the lines of their functions out. */
#include "analyze/profile.h"

#include "../check.h"
#include "../records.h"

#define MS UINT64_C(1000000)

static struct draft draft;
static const struct record_frame in_f[] = {{1, 2}}, in_g[] = {{2, 4}}; /* lines 11 and 22 */

static struct profile *described(void)
{
    const struct profile_input input = {.filter = {.program_path = "/home/me"}};
    struct profile *profile = profile_new(&input);
    profile_add(profile, 0, draft_process(&draft, 7, "/home/me"));
    profile_add(profile, 0, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, 0, draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10));
    profile_add(profile, 0, draft_code(&draft, 2, "/home/me/prog.py", "g", NULL, 20));
    profile_add(profile, 0, draft_thread(&draft, 7, 0, THREAD_IS_MAIN));
    return profile;
}

/* A thread of 1 ms that begins in the code object `entry`, with one sample or none. */
static void lives(struct profile *profile, uint32_t tid, uint32_t entry,
                  const struct record_frame *seen)
{
    profile_add(profile, 0, draft_thread(&draft, tid, 0, 0));
    struct record_thread_name *name = draft_begin(&draft, RECORD_THREAD_NAME, sizeof *name);
    name->tid = tid;
    name->entry = entry;
    profile_add(profile, 0, &name->head);
    if (seen)
        profile_add(profile, 0, draft_sample(&draft, tid, MS / 2, seen, 1));
    profile_add(profile, 0, draft_thread_end(&draft, tid, MS));
}

static double cpu_at(const struct profile_result *result, int lineno)
{
    for (size_t i = 0; result->n_files && i < result->files[0].n_lines; i++) {
        const struct profile_line *line = &result->files[0].lines[i];
        if (line->lineno == lineno)
            return line->cost.python_s + line->cost.native_s + line->cost.system_s;
    }
    return 0;
}

static void time_of_threads_without_samples_is_that_of_their_function(void)
{
    struct profile *profile = described();
    for (uint32_t i = 0; i < 1000; i++) {
        lives(profile, 100 + 2 * i, 1, i % 10 == 0 ? in_f : NULL);
        lives(profile, 101 + 2 * i, 2, i % 50 == 0 ? in_g : NULL); /* met less often, by chance */
    }
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(cpu_at(result, 11), 1, 1e-9);
    CHECK_NEAR(cpu_at(result, 22), 1, 1e-9);
    CHECK_NEAR(result->outside_s, 0, 1e-9);
    CHECK_NEAR(result->processes[0].cpu_s, 2, 1e-9);
    profile_free(profile);
}

static void what_was_never_met_is_on_no_line(void)
{
    struct profile *profile = described();
    lives(profile, 100, 1, in_f);
    lives(profile, 101, 2, NULL);
    const struct profile_result *result = profile_finish(profile);
    CHECK_NEAR(cpu_at(result, 11), 0.001, 1e-9);
    CHECK_NEAR(result->outside_s, 0.001, 1e-9);
    profile_free(profile);
}

int main(void)
{
    RUN(time_of_threads_without_samples_is_that_of_their_function);
    RUN(what_was_never_met_is_on_no_line);
    return 0;
}
