/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/thread.h"

#include "../check.h"

#define MS 1000000

static struct queue queue;
static struct watched_memory memory = {.queue = &queue};

/* Last looked at after a second, when it had run 10 ms. */
static struct watched_thread thread_at(bool is_running)
{
    struct watched_thread t = {.tid = 5,
                               .wait = {.tid = 5, .kind = WAIT_IO},
                               .is_running = is_running,
                               .looked_ns = 1000 * MS,
                               .times = {.cpu_ns = 10 * MS},
                               .busy_ns = 3 * MS};
    t.wait.stack.n = 1;
    t.wait.stack.frames[0].code = 9;
    return t;
}

static const struct record_thread_end end = {.tid = 5, .time_ns = 1300 * MS, .cpu_ns = 60 * MS};

static void what_a_thread_waited_after_the_last_look_is_charged_when_it_ends(void)
{
    struct watched_thread t = thread_at(false);
    watched_thread_finish(&t, &end);
    CHECK(t.busy_ns == 53 * MS);
    watched_thread_send(&t, &memory);
    uint32_t process;
    const struct record_header *record;
    CHECK(queue_take(&queue, &process, &record));
    const struct record_wait *wait = (const void *)record;
    CHECK(record->kind == RECORD_WAIT && wait->kind == WAIT_IO && wait->tid == 5);
    CHECK(wait->wait_ns == 250 * MS && wait->n_looks == 1 && wait->n_frames == 1);
    CHECK(!queue_take(&queue, &process, &record));
}

static void a_thread_that_was_seen_running_is_not_charged_a_wait_at_its_end(void)
{
    struct watched_thread t = thread_at(true);
    watched_thread_finish(&t, &end);
    CHECK(t.busy_ns == 53 * MS);
    CHECK(t.loose_ns == 0);
}

/* 120 ms without a CPU until the last look, 200 ms in all. */
static void what_a_thread_wanted_to_run_until_its_end_is_not_a_wait(void)
{
    struct watched_thread t = thread_at(false);
    struct record_thread_end starved = end;
    t.times.delay_ns = 120 * MS;
    starved.delay_us = 200 * 1000;
    watched_thread_finish(&t, &starved);
    CHECK(t.busy_ns == 133 * MS);
    CHECK(t.loose_ns == 170 * MS && t.starved_ns == 80 * MS);
    vec_fini(&t.votes);
}

/* Of the 300 ms it ran 50, had no CPU for 200, and waited the rest, as before for a file. */
static void a_thread_that_was_seen_running_has_waited_what_it_did_not_want_to_run(void)
{
    struct watched_thread t = thread_at(true);
    struct record_thread_end starved = end;
    starved.delay_us = 200 * 1000;
    watched_thread_finish(&t, &starved);
    CHECK(t.busy_ns == 253 * MS);
    CHECK(t.loose_ns == 50 * MS && t.starved_ns == 200 * MS);
}

static void a_thread_that_nobody_saw_was_delayed_as_long_as_it_says(void)
{
    const struct record_thread begin = {.tid = 5, .time_ns = 1000 * MS, .creator_tid = 4};
    struct watched_thread t;
    struct record_thread_end starved = end;
    watched_thread_open(&t, -1, begin.tid, &begin);
    starved.delay_us = 200 * 1000;
    watched_thread_finish(&t, &starved);
    CHECK(t.busy_ns == 260 * MS);
    CHECK(t.loose_ns == 0 && t.starved_ns == 200 * MS);
}

/* How long it was delayed before anybody measured is not known of a thread that was there already.
 */
static void a_thread_of_unknown_beginning_is_not_charged_what_it_was_delayed_before(void)
{
    const struct record_thread begin = {.tid = 5, .time_ns = 1000 * MS};
    struct watched_thread t;
    struct record_thread_end starved = end;
    watched_thread_open(&t, -1, begin.tid, &begin);
    starved.delay_us = 200 * 1000;
    watched_thread_finish(&t, &starved);
    CHECK(t.busy_ns == 60 * MS && t.starved_ns == 0);
}

static void a_main_thread_says_how_long_it_was_delayed_before(void)
{
    const struct record_thread begin = {.head = {.flags = THREAD_TELLS_DELAY},
                                        .tid = 5,
                                        .time_ns = 1000 * MS,
                                        .delay_us = 150 * 1000};
    struct watched_thread t;
    struct record_thread_end starved = end;
    watched_thread_open(&t, -1, begin.tid, &begin);
    starved.delay_us = 200 * 1000;
    watched_thread_finish(&t, &starved);
    CHECK(t.busy_ns == 110 * MS && t.starved_ns == 50 * MS);
}

static void a_clock_that_is_behind_charges_nothing(void)
{
    struct watched_thread t = thread_at(false);
    const struct record_thread_end early = {.tid = 5, .time_ns = 900 * MS, .cpu_ns = 5 * MS};
    watched_thread_finish(&t, &early);
    CHECK(t.busy_ns == 3 * MS);
    CHECK(t.loose_ns == 0);
    vec_fini(&t.votes);
}

static void a_thread_that_begins_while_we_look_is_left_to_the_next_look(void)
{
    struct watched_thread t = thread_at(false), before = t;
    watched_thread_look(&t, &memory, t.looked_ns - 1);
    CHECK(memcmp(&t, &before, sizeof t) == 0);
}

/* Once the agent tells of waits, only time without a CPU is said from here. */
static void waits_that_the_agent_tells_are_not_told_twice(void)
{
    struct watched_thread t = thread_at(false);
    struct watched_memory told = {.queue = &queue, .is_told = true};
    uint32_t process;
    const struct record_header *record;
    watched_thread_finish(&t, &end);
    t.starved_ns = MS;
    watched_thread_send(&t, &told);
    CHECK(queue_take(&queue, &process, &record));
    CHECK(((const struct record_wait *)(const void *)record)->kind == WAIT_STARVED);
    CHECK(!queue_take(&queue, &process, &record));
}

int main(void)
{
    RUN(what_a_thread_waited_after_the_last_look_is_charged_when_it_ends);
    RUN(a_thread_that_was_seen_running_is_not_charged_a_wait_at_its_end);
    RUN(what_a_thread_wanted_to_run_until_its_end_is_not_a_wait);
    RUN(a_thread_that_was_seen_running_has_waited_what_it_did_not_want_to_run);
    RUN(a_thread_that_nobody_saw_was_delayed_as_long_as_it_says);
    RUN(a_thread_of_unknown_beginning_is_not_charged_what_it_was_delayed_before);
    RUN(a_main_thread_says_how_long_it_was_delayed_before);
    RUN(a_clock_that_is_behind_charges_nothing);
    RUN(a_thread_that_begins_while_we_look_is_left_to_the_next_look);
    RUN(waits_that_the_agent_tells_are_not_told_twice);
    return 0;
}
