/* SPDX-License-Identifier: Apache-2.0 */
/* Wall time of a process that is switched off and on, and what code is called and whether it is
 * wanted. */
#include "analyze/profile.h"

#include "../check.h"
#include "../records.h"

#define MS    UINT64_C(1000000)
#define START (1000 * MS)

static struct draft draft;

static struct profile *begin(uint16_t flags)
{
    struct profile *profile = profile_new(&(struct profile_input){.filter = {.program_path = "/"}});
    struct record_header *head = draft_process(&draft, 7, "/home/me");
    ((struct record_process *)(void *)head)->time_ns = START;
    head->flags = flags;
    profile_add(profile, 0, head);
    return profile;
}

static void turn(struct profile *profile, uint64_t time_ns, uint32_t is_off)
{
    struct record_switch *record = draft_begin(&draft, RECORD_SWITCH, sizeof *record);
    record->time_ns = time_ns;
    record->is_off = is_off;
    profile_add(profile, 0, draft_head(&draft));
}

static void end(struct profile *profile, uint64_t time_ns)
{
    struct record_end *record = draft_begin(&draft, RECORD_END, sizeof *record);
    record->time_ns = time_ns;
    profile_add(profile, 0, draft_head(&draft));
}

static void time_switched_off_is_left_out(void)
{
    struct profile *profile = begin(0);
    turn(profile, START + 100 * MS, 1);
    turn(profile, START + 400 * MS, 0);
    CHECK_NEAR(profile_finish(profile)->elapsed_s, 0.1, 1e-9);
    turn(profile, START + 450 * MS, 0); /* said twice */
    turn(profile, START + 500 * MS, 1);
    CHECK_NEAR(profile_finish(profile)->elapsed_s, 0.2, 1e-9);
    end(profile, START + 900 * MS);
    CHECK_NEAR(profile_finish(profile)->elapsed_s, 0.2, 1e-9);
    CHECK(profile_finish(profile)->n_unknown_records == 0);
    profile_free(profile);
}

static void process_may_begin_switched_off(void)
{
    struct profile *profile = begin(PROCESS_IS_OFF);
    end(profile, START + 900 * MS);
    CHECK_NEAR(profile_finish(profile)->elapsed_s, 0, 1e-9);
    profile_free(profile);
    profile = begin(PROCESS_IS_OFF);
    turn(profile, START + 300 * MS, 0);
    end(profile, START + 900 * MS);
    CHECK_NEAR(profile_finish(profile)->elapsed_s, 0.6, 1e-9);
    profile_free(profile);
}

static bool is_even(void *context, const char *path, int first_line)
{
    (void)context;
    (void)path;
    return first_line % 2 == 0;
}

static const char *cell(void *context, const char *path)
{
    (void)context;
    return strcmp(path, "<ipython-input-3-x>") == 0 ? "[3]" : NULL;
}

static void code_is_called_and_chosen_as_the_input_says(void)
{
    static const struct record_frame frames[3] = {{1, -1}, {2, -1}, {3, -1}};
    struct profile *profile = profile_new(&(struct profile_input){
        .filter = {.program_path = "/home/me"}, .is_wanted = is_even, .shown_as = cell});
    profile_add(profile, 0, draft_process(&draft, 7, "/home/me"));
    profile_add(profile, 0, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, 0, draft_code(&draft, 1, "/home/me/prog.py", "odd", NULL, 11));
    profile_add(profile, 0, draft_code(&draft, 2, "/home/me/prog.py", "even", NULL, 20));
    profile_add(profile, 0, draft_code(&draft, 3, "<ipython-input-3-x>", "f", NULL, 5));
    profile_add(profile, 0, draft_thread(&draft, 7, 0, THREAD_IS_MAIN));
    profile_add(profile, 0, draft_sample(&draft, 7, 10 * MS, frames, 3));
    profile_add(profile, 0, draft_sample(&draft, 7, 20 * MS, frames + 2, 1));
    const struct profile_result *result = profile_finish(profile);
    CHECK(result->n_files == 2);
    for (size_t i = 0; i < 2; i++) {
        CHECK(result->files[i].n_lines == 1 && result->files[i].n_functions == 1);
        bool is_cell = strcmp(result->files[i].path, "[3]") == 0;
        CHECK_STR(result->files[i].functions[0].name, is_cell ? "f" : "even");
    }
    profile_free(profile);
}

int main(void)
{
    RUN(time_switched_off_is_left_out);
    RUN(process_may_begin_switched_off);
    RUN(code_is_called_and_chosen_as_the_input_says);
    return 0;
}
