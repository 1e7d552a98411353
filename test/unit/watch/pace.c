/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/pace.h"

#include "../check.h"

/* A program under a fake clock, looked at for some time. */
struct program {
    int64_t look_cost_ns;
    double ran_share, turns_per_s;
    bool is_calm;
    double delayed_share;
};

/* How often it is looked at between two moments, per second. */
static double looks_per_s(const struct program *program, double from_s, double to_s)
{
    struct pace pace;
    int64_t now_ns = 1000000000, pause_ns = 10000000, n = 0;
    double age_s = 0;
    pace_init(&pace);
    while (age_s < to_s) {
        struct pace_look look = {.now_ns = now_ns,
                                 .cost_ns = program->look_cost_ns,
                                 .ran_ns = (int64_t)(program->ran_share * (double)pause_ns),
                                 .delayed_ns = (int64_t)(program->delayed_share * (double)pause_ns),
                                 .n_turns =
                                     (int64_t)(program->turns_per_s * 1e-9 * (double)pause_ns),
                                 .is_calm = program->is_calm};
        pause_ns = pace_next_ns(&pace, &look);
        CHECK(pause_ns > 0);
        now_ns += pause_ns;
        age_s = 1e-9 * (double)(now_ns - pace.start_ns);
        n += age_s >= from_s;
    }
    return (double)n / (to_s - from_s);
}

static void a_restless_program_is_looked_at_a_hundred_times_a_second(void)
{
    struct program sleeps = {30000, 0.3, 50, false, 0};
    double rate = looks_per_s(&sleeps, 0, 4);
    CHECK(rate > 90 && rate < 110);
}

static void looks_are_rarer_where_there_is_little_to_see_or_much_was_seen(void)
{
    struct program calm = {30000, 1.0, 50, true, 0}, restless = {30000, 0.3, 50, false, 0};
    CHECK(looks_per_s(&calm, 1, 3) < 25);
    double rate = looks_per_s(&restless, 60, 80);
    CHECK(rate > 15 && rate < 25);
    CHECK(looks_per_s(&restless, 0, 20) > 90);
}

static void a_program_without_a_cpu_is_left_alone(void)
{
    struct program starved = {30000, 0.15, 100, false, 0.8}, alone = {30000, 0.15, 100, false, 0};
    double rate = looks_per_s(&starved, 1, 3);
    CHECK(rate > 30 && rate < 50);
    CHECK(looks_per_s(&alone, 1, 3) > 90);
}

static void many_turns_of_little_work_cost_less_but_are_still_seen(void)
{
    struct program dozing = {150000, 0.12, 15000, false, 0};
    double rate = looks_per_s(&dozing, 1, 3);
    CHECK(rate > 10 && rate < 15);
}

static void many_turns_of_much_work_pay_for_their_looks(void)
{
    struct program ping_pong = {60000, 1.0, 50000, false, 0};
    CHECK(looks_per_s(&ping_pong, 1, 3) > 90);
    ping_pong.look_cost_ns = 200000;
    double rate = looks_per_s(&ping_pong, 1, 3), spent = rate * 200000e-9;
    CHECK(spent > 0.008 && spent < 0.012);
}

int main(void)
{
    RUN(a_restless_program_is_looked_at_a_hundred_times_a_second);
    RUN(looks_are_rarer_where_there_is_little_to_see_or_much_was_seen);
    RUN(a_program_without_a_cpu_is_left_alone);
    RUN(many_turns_of_little_work_cost_less_but_are_still_seen);
    RUN(many_turns_of_much_work_pay_for_their_looks);
    return 0;
}
