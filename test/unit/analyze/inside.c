/* SPDX-License-Identifier: Apache-2.0 */
/* Waits as an agent tells of them in, idle time out. */
#include "analyze/profile.h"

#include "../check.h"
#include "../records.h"

#define MS    UINT64_C(1000000)
#define START (UINT64_C(1000) * MS) /* of the process, by draft_process */

static struct draft draft;
static const struct record_frame in_f[] = {{1, 2}}, in_g[] = {{2, 4}}; /* lines 11 and 22 */

/* f() at line 10, g() at line 20, and threads from 7, the main one, on. */
static struct profile *described(uint32_t n_threads)
{
    const struct profile_input input = {.filter = {.program_path = "/home/me"}};
    struct profile *profile = profile_new(&input);
    profile_add(profile, 0, draft_process(&draft, 7, "/home/me"));
    profile_add(profile, 0, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, 0, draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10));
    profile_add(profile, 0, draft_code(&draft, 2, "/home/me/prog.py", "g", NULL, 20));
    for (uint32_t i = 0; i < n_threads; i++) {
        struct record_thread *thread =
            (void *)draft_thread(&draft, 7 + i, 0, i == 0 ? THREAD_IS_MAIN : 0);
        thread->time_ns = START;
        profile_add(profile, 0, &thread->head);
    }
    return profile;
}

/* Thread `tid` waited from one moment to another, in ms since the start. */
static void told(struct profile *profile, uint32_t tid, enum wait_kind kind, uint64_t from_ms,
                 uint64_t to_ms, const struct record_frame *frame)
{
    struct record_wait *record =
        draft_wait(&draft, RECORD_WAIT, tid, kind, (to_ms - from_ms) * MS, frame, frame ? 1 : 0);
    record->time_ns = START + to_ms * MS;
    record->head.flags = WAIT_IS_INSIDE;
    profile_add(profile, 0, &record->head);
}

static void begins(struct profile *profile, uint32_t tid, enum wait_kind kind, uint64_t at_ms,
                   const struct record_frame *frame)
{
    struct record_wait *record = draft_wait(&draft, RECORD_WAIT, tid, kind, 0, frame, 1);
    record->time_ns = START + at_ms * MS;
    record->head.flags = WAIT_IS_INSIDE | WAIT_BEGINS;
    profile_add(profile, 0, &record->head);
}

static void sampled(struct profile *profile, uint32_t tid, uint64_t at_ms, uint64_t cpu_ms)
{
    struct record_sample *record = (void *)draft_sample(&draft, tid, cpu_ms * MS, in_g, 1);
    record->time_ns = START + at_ms * MS;
    profile_add(profile, 0, &record->head);
}

static void thread_ends(struct profile *profile, uint32_t tid, uint64_t at_ms)
{
    struct record_thread_end *record = (void *)draft_thread_end(&draft, tid, 0);
    record->time_ns = START + at_ms * MS;
    profile_add(profile, 0, &record->head);
}

static const struct profile_result *ended(struct profile *profile, uint64_t at_ms)
{
    struct record_end *record = draft_begin(&draft, RECORD_END, sizeof *record);
    record->time_ns = START + at_ms * MS;
    profile_add(profile, 0, &record->head);
    return profile_finish(profile);
}

static const struct profile_line *line_at(const struct profile_result *result, int lineno)
{
    static const struct profile_line none;
    for (size_t i = 0; result->n_files && i < result->files[0].n_lines; i++)
        if (result->files[0].lines[i].lineno == lineno)
            return &result->files[0].lines[i];
    return &none;
}

static void a_wait_of_the_only_thread_is_idle_time_of_its_line(void)
{
    struct profile *profile = described(1);
    told(profile, 7, WAIT_SLEEP, 0, 300, in_f);
    sampled(profile, 7, 350, 50);
    told(profile, 7, WAIT_IO, 400, 500, in_g);
    thread_ends(profile, 7, 500);
    const struct profile_result *result = ended(profile, 520);
    CHECK(result->waits_seen == SEEN_INSIDE);
    CHECK_NEAR(line_at(result, 11)->cost.idle_s, 0.3, 1e-9);
    CHECK_NEAR(line_at(result, 22)->cost.idle_s, 0.1, 1e-9);
    CHECK_NEAR(line_at(result, 11)->waits_s[WAIT_SLEEP], 0.3, 1e-9);
    CHECK_NEAR(line_at(result, 22)->waits_s[WAIT_IO], 0.1, 1e-9);
    CHECK_NEAR(result->processes[0].idle_s, 0.4, 1e-9);
    profile_free(profile);
}

static void nothing_is_idle_while_another_thread_works(void)
{
    struct profile *profile = described(2);
    told(profile, 7, WAIT_SLEEP, 0, 300, in_f);
    for (uint64_t at = 4; at <= 200; at += 4)
        sampled(profile, 8, at, at);
    told(profile, 8, WAIT_LOCK, 200, 300, in_g);
    thread_ends(profile, 7, 300);
    thread_ends(profile, 8, 300);
    const struct profile_result *result = ended(profile, 300);
    /* From 200 on both wait; the lock is the other thread's affair. */
    CHECK_NEAR(line_at(result, 11)->cost.idle_s, 0.1, 1e-9);
    CHECK_NEAR(line_at(result, 22)->cost.idle_s, 0, 0);
    profile_free(profile);
}

static void who_waits_for_the_gil_waits_for_somebody_who_runs(void)
{
    struct profile *profile = described(2);
    told(profile, 7, WAIT_SLEEP, 0, 100, in_f);
    told(profile, 8, WAIT_GIL, 0, 100, in_g);
    thread_ends(profile, 7, 100);
    thread_ends(profile, 8, 100);
    const struct profile_result *result = ended(profile, 100);
    CHECK_NEAR(result->processes[0].idle_s, 0, 0);
    CHECK_NEAR(line_at(result, 22)->waits_s[WAIT_GIL], 0.1, 1e-9);
    profile_free(profile);
}

static void the_main_thread_answers_when_all_wait_for_each_other(void)
{
    struct profile *profile = described(2);
    told(profile, 8, WAIT_LOCK, 0, 100, in_g);
    told(profile, 7, WAIT_LOCK, 0, 100, in_f);
    thread_ends(profile, 8, 100);
    thread_ends(profile, 7, 100);
    CHECK_NEAR(line_at(ended(profile, 100), 11)->cost.idle_s, 0.1, 1e-9);
    profile_free(profile);
}

static void a_thread_that_never_comes_back_waits_where_it_said(void)
{
    struct profile *profile = described(2);
    begins(profile, 8, WAIT_LOCK, 0, in_g);
    begins(profile, 7, WAIT_SLEEP, 0, in_f);
    /* Killed after five seconds: neither wait is ever told to be over. */
    const struct profile_result *result = ended(profile, 5000);
    CHECK_NEAR(line_at(result, 11)->cost.idle_s, 5, 1e-9);
    CHECK_NEAR(line_at(result, 11)->waits_s[WAIT_SLEEP], 5, 1e-9);
    CHECK_NEAR(line_at(result, 22)->cost.idle_s, 0, 0);
    CHECK_NEAR(line_at(result, 22)->waits_s[WAIT_LOCK], 5, 1e-9);
    profile_free(profile);
}

/* The wait of a parked thread is told long after the windows it spans are settled. */
static void windows_are_settled_while_a_thread_is_parked(void)
{
    struct profile *profile = described(2);
    begins(profile, 8, WAIT_LOCK, 0, in_g);
    uint64_t cpu = 0;
    for (uint64_t at = 0; at < 20000; at += 1000) { /* half of every second is slept */
        told(profile, 7, WAIT_SLEEP, at, at + 500, in_f);
        for (uint64_t i = 504; i <= 1000; i += 4)
            sampled(profile, 7, at + i, cpu += 4);
    }
    told(profile, 8, WAIT_LOCK, 0, 20000, in_g);
    thread_ends(profile, 7, 20000);
    thread_ends(profile, 8, 20000);
    const struct profile_result *result = ended(profile, 20000);
    CHECK_NEAR(line_at(result, 11)->cost.idle_s, 10, 1e-9);
    CHECK_NEAR(line_at(result, 22)->waits_s[WAIT_LOCK], 20, 1e-9);
    profile_free(profile);
}

static void threads_count_only_while_they_live(void)
{
    struct profile *profile = described(1);
    told(profile, 7, WAIT_CHILD, 0, 100, in_f);
    struct record_thread *thread = (void *)draft_thread(&draft, 8, 0, 0);
    thread->time_ns = START + 100 * MS;
    profile_add(profile, 0, &thread->head);
    told(profile, 7, WAIT_CHILD, 100, 200, in_f); /* the other one works */
    thread_ends(profile, 8, 200);
    told(profile, 7, WAIT_CHILD, 200, 300, in_f);
    thread_ends(profile, 7, 300);
    CHECK_NEAR(line_at(ended(profile, 300), 11)->cost.idle_s, 0.2, 1e-9);
    profile_free(profile);
}

static void switches(struct profile *profile, bool is_off, uint64_t at_ms)
{
    struct record_switch *record = draft_begin(&draft, RECORD_SWITCH, sizeof *record);
    record->time_ns = START + at_ms * MS;
    record->is_off = is_off;
    profile_add(profile, 0, &record->head);
}

static void nothing_is_waited_while_measuring_is_off(void)
{
    struct profile *profile = described(2);
    begins(profile, 8, WAIT_LOCK, 0, in_g);
    told(profile, 7, WAIT_SLEEP, 0, 300, in_f);
    begins(profile, 7, WAIT_SLEEP, 300, in_f);
    switches(profile, true, 1000);
    switches(profile, false, 4000);
    told(profile, 7, WAIT_SLEEP, 300, 4500, in_f);
    thread_ends(profile, 7, 4500);
    thread_ends(profile, 8, 4500);
    const struct profile_result *result = ended(profile, 4500);
    CHECK_NEAR(line_at(result, 11)->cost.idle_s, 1.5, 1e-9);
    CHECK_NEAR(line_at(result, 11)->waits_s[WAIT_SLEEP], 1.5, 1e-9);
    CHECK_NEAR(line_at(result, 22)->waits_s[WAIT_LOCK], 1.5, 1e-9);
    profile_free(profile);
}

int main(void)
{
    RUN(a_wait_of_the_only_thread_is_idle_time_of_its_line);
    RUN(nothing_is_idle_while_another_thread_works);
    RUN(who_waits_for_the_gil_waits_for_somebody_who_runs);
    RUN(the_main_thread_answers_when_all_wait_for_each_other);
    RUN(a_thread_that_never_comes_back_waits_where_it_said);
    RUN(windows_are_settled_while_a_thread_is_parked);
    RUN(threads_count_only_while_they_live);
    RUN(nothing_is_waited_while_measuring_is_off);
    return 0;
}
