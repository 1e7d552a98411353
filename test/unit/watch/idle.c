/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/idle.h"

#include "../check.h"

#define MS 1000000

static struct queue queue;
static struct watched_memory memory = {.queue = &queue};

static struct watched_thread thread_at(uint32_t tid, enum wait_kind kind, bool is_main)
{
    struct watched_thread t = {.tid = tid, .wait = {.tid = tid, .kind = kind}, .is_main = is_main};
    t.wait.stack.n = 1;
    t.wait.stack.frames[0].code = tid;
    return t;
}

/* What was charged to a thread since the last call, in ms. */
static double taken_ms(uint32_t tid)
{
    double ms = 0;
    uint32_t process;
    const struct record_header *record;
    size_t start = queue.at;
    while (queue.at < queue.words.n && queue_take(&queue, &process, &record)) {
        const struct record_wait *wait = (const void *)record;
        CHECK(record->kind == RECORD_IDLE);
        if (wait->tid == tid)
            ms += (double)wait->wait_ns / MS;
    }
    queue.at = start;
    return ms;
}

/* Nothing is left to be told at a later window. */
static void settle(struct idle *idle, watched_threads *threads)
{
    idle_settle(idle, threads, &memory, idle->window_start_ns);
}

static void forget(void)
{
    queue.at = queue.words.n = 0;
}

static void a_sleeper_alone_has_all_the_idle_time(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true)};
    watched_threads threads = {items, 1, 1};
    struct idle idle = {0};
    for (int64_t now = 10 * MS; now <= 200 * MS; now += 10 * MS)
        idle_look(&idle, &threads, &memory, now, 10 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1), 200, 0.001);
    forget();
    idle_fini(&idle);
}

static void a_worker_that_waits_for_another_thread_costs_nothing(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true),
                                     thread_at(2, WAIT_LOCK, false)};
    watched_threads threads = {items, 2, 2};
    struct idle idle = {0};
    for (int64_t now = 10 * MS; now <= 100 * MS; now += 10 * MS)
        idle_look(&idle, &threads, &memory, now, 10 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1), 100, 0.001);
    CHECK_NEAR(taken_ms(2), 0, 0.001);
    forget();
    idle_fini(&idle);
}

static void the_main_thread_answers_when_all_wait_for_each_other(void)
{
    struct watched_thread items[] = {thread_at(2, WAIT_LOCK, false), thread_at(1, WAIT_LOCK, true)};
    watched_threads threads = {items, 2, 2};
    struct idle idle = {0};
    idle_look(&idle, &threads, &memory, 100 * MS, 100 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1), 100, 0.001);
    forget();
    idle_fini(&idle);
}

static void nothing_is_idle_while_one_runs(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true),
                                     thread_at(2, WAIT_OTHER, false)};
    watched_threads threads = {items, 2, 2};
    struct idle idle = {0};
    items[1].is_running = true;
    for (int64_t now = 10 * MS; now <= 1000 * MS; now += 10 * MS) {
        items[1].busy_ns += 10 * MS;
        idle_look(&idle, &threads, &memory, now, 10 * MS, false);
    }
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1), 0, 0.001);
    forget();
    idle_fini(&idle);
}

/* Two busy threads, half the looks idle: the estimate lies between what the clocks allow. */
static void the_clocks_bound_what_looks_estimate(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true),
                                     thread_at(2, WAIT_SLEEP, false)};
    watched_threads threads = {items, 2, 2};
    struct idle idle = {0};
    for (int i = 1; i <= 10; i++) {
        items[0].is_running = items[1].is_running = i <= 5;
        idle_look(&idle, &threads, &memory, (int64_t)i * 9 * MS, 9 * MS, false);
    }
    items[0].busy_ns = items[1].busy_ns = 60 * MS; /* at most 40 of 100 idle */
    idle_look(&idle, &threads, &memory, 100 * MS, 10 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1) + taken_ms(2), 40, 0.001);
    forget();
    idle_fini(&idle);
}

static void the_time_of_threads_that_ended_is_not_idle(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true)};
    watched_threads threads = {items, 1, 1};
    struct idle idle = {.departed_ns = 30 * MS};
    idle_look(&idle, &threads, &memory, 100 * MS, 100 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1), 70, 0.001);
    forget();
    idle_fini(&idle);
}

/* The kernel books it when the thread has a CPU again: 50 ms of the first step, in the second. */
static void time_without_a_cpu_that_is_booked_late_is_not_idle(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true)};
    watched_threads threads = {items, 1, 1};
    struct idle idle = {0};
    items[0].is_running = true;
    items[0].busy_ns = 150 * MS;
    idle_look(&idle, &threads, &memory, 250 * MS, 250 * MS, false);
    items[0].is_running = false;
    items[0].busy_ns = 270 * MS;
    idle_look(&idle, &threads, &memory, 500 * MS, 250 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1), 80, 0.001);
    forget();
    idle_fini(&idle);
}

/* A look that took 100 ms: the thread's times are those of its end, the clock of its beginning. */
static void what_is_too_much_for_a_window_is_not_idle_in_the_next(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true)};
    watched_threads threads = {items, 1, 1};
    struct idle idle = {0};
    items[0].busy_ns = 200 * MS;
    idle_look(&idle, &threads, &memory, 100 * MS, 100 * MS, true);
    items[0].busy_ns = 0;
    idle_look(&idle, &threads, &memory, 300 * MS, 200 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1), 100, 0.001);
    forget();
    idle_fini(&idle);
}

/* And in the next there were two, whose clocks leave room, but not enough for what was too much. */
static void what_is_too_much_for_two_windows_is_not_idle_in_either(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true),
                                     thread_at(2, WAIT_SLEEP, false)};
    watched_threads threads = {items, 2, 2};
    struct idle idle = {0};
    items[0].busy_ns = 400 * MS;
    idle_look(&idle, &threads, &memory, 100 * MS, 100 * MS, true);
    items[0].busy_ns = items[1].busy_ns = 60 * MS;
    idle_look(&idle, &threads, &memory, 200 * MS, 100 * MS, false);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1) + taken_ms(2), 0, 0.001);
    forget();
    idle_fini(&idle);
}

/* First the one works, then the other: the clocks tell each half exactly, whatever the looks say.
 */
static void threads_that_take_turns_leave_no_doubt(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true),
                                     thread_at(2, WAIT_SLEEP, false)};
    watched_threads threads = {items, 2, 2};
    struct idle idle = {0};
    items[0].is_running = true;
    items[0].busy_ns = 200 * MS;
    idle_look(&idle, &threads, &memory, 250 * MS, 250 * MS, true);
    items[0].is_running = false;
    items[1].busy_ns = 210 * MS;
    idle_look(&idle, &threads, &memory, 500 * MS, 250 * MS, true);
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1) + taken_ms(2), 90, 0.001);
    forget();
    idle_fini(&idle);
}

/* Where a thread is that sleeps at its line 24 for 24 ms, works, sleeps at 4 for 4 ms, and works.
 */
static uint32_t line_at(int64_t time_ns)
{
    int64_t at_ns = time_ns % (43 * MS);
    return at_ns < 24 * MS ? 24 : at_ns < 30 * MS ? 0 : at_ns < 34 * MS ? 4 : 0;
}

static uint64_t next(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

/* What was charged to a line, in ms. */
static double line_ms(uint32_t line)
{
    double ms = 0;
    uint32_t process;
    const struct record_header *record;
    size_t start = queue.at;
    while (queue.at < queue.words.n && queue_take(&queue, &process, &record)) {
        const struct record_wait *wait = (const void *)record;
        const struct record_frame *frame = (const void *)(wait + 1);
        ms += frame->code == line ? (double)wait->wait_ns / MS : 0;
    }
    queue.at = start;
    return ms;
}

/* Looks are rarer than its short sleeps, which most of them miss. */
static void short_waits_count_for_as_much_as_they_last(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true)};
    watched_threads threads = {items, 1, 1};
    struct idle idle = {0};
    uint64_t random = 7;
    int64_t now_ns = 0, length_ns, looked_busy_ns = 0, busy_ns = 0, busy_at_ns = 0;
    while (now_ns < (int64_t)120000 * MS) {
        length_ns = 5 * MS + (int64_t)(next(&random) % (10 * MS));
        now_ns += length_ns;
        for (; busy_at_ns < now_ns; busy_at_ns += MS / 10)
            busy_ns += line_at(busy_at_ns) ? 0 : MS / 10;
        items[0].busy_ns += busy_ns - looked_busy_ns;
        items[0].has_run = busy_ns != looked_busy_ns;
        looked_busy_ns = busy_ns;
        items[0].is_running = !line_at(now_ns);
        if (!items[0].is_running)
            items[0].wait.stack.frames[0].code = line_at(now_ns);
        idle_look(&idle, &threads, &memory, now_ns, length_ns, false);
    }
    settle(&idle, &threads);
    CHECK_NEAR(line_ms(24) + line_ms(4), 120000 * 28.0 / 43, 50);
    CHECK_NEAR(line_ms(4) / (line_ms(24) + line_ms(4)), 4.0 / 28, 0.012);
    forget();
    idle_fini(&idle);
}

/* Two threads work 20 of 50 ms each, never both at once: the clocks' lower bound is the truth, and
 * what single windows are off by must not add up above it. */
static void doubt_in_many_windows_does_not_add_up(void)
{
    struct watched_thread items[] = {thread_at(1, WAIT_SLEEP, true),
                                     thread_at(2, WAIT_SLEEP, false)};
    watched_threads threads = {items, 2, 2};
    struct idle idle = {0};
    uint64_t random = 3;
    int64_t now_ns = 0, at_ns = 0;
    while (now_ns < (int64_t)10000 * MS) {
        int64_t length_ns = 5 * MS + (int64_t)(next(&random) % (10 * MS));
        now_ns += length_ns;
        items[0].has_run = items[1].has_run = false;
        for (; at_ns < now_ns; at_ns += MS / 10) {
            int64_t turn_ns = at_ns % (50 * MS);
            for (int i = 0; i < 2; i++) {
                items[i].is_running = turn_ns >= i * 20 * MS && turn_ns < (i + 1) * 20 * MS;
                items[i].has_run |= items[i].is_running;
                items[i].busy_ns += items[i].is_running ? MS / 10 : 0;
            }
        }
        idle_look(&idle, &threads, &memory, now_ns, length_ns, false);
    }
    settle(&idle, &threads);
    CHECK_NEAR(taken_ms(1) + taken_ms(2), 2000, 60);
    forget();
    idle_fini(&idle);
}

int main(void)
{
    RUN(a_sleeper_alone_has_all_the_idle_time);
    RUN(a_worker_that_waits_for_another_thread_costs_nothing);
    RUN(the_main_thread_answers_when_all_wait_for_each_other);
    RUN(nothing_is_idle_while_one_runs);
    RUN(the_clocks_bound_what_looks_estimate);
    RUN(the_time_of_threads_that_ended_is_not_idle);
    RUN(time_without_a_cpu_that_is_booked_late_is_not_idle);
    RUN(what_is_too_much_for_a_window_is_not_idle_in_the_next);
    RUN(what_is_too_much_for_two_windows_is_not_idle_in_either);
    RUN(threads_that_take_turns_leave_no_doubt);
    RUN(short_waits_count_for_as_much_as_they_last);
    RUN(doubt_in_many_windows_does_not_add_up);
    queue_fini(&queue);
    return 0;
}
