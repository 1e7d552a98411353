/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/burst.h"

#include "../check.h"

#define MS 1000000

static void the_usual_periods_may_have_bursts(void)
{
    CHECK(burst_terms(2 * MS).access == BURST_UNKNOWN);
    CHECK(burst_terms(10 * MS).access == BURST_UNKNOWN);
}

static void whoever_asks_for_few_samples_gets_no_bursts(void)
{
    CHECK(burst_terms(11 * MS).access == BURST_REFUSED);
    CHECK(burst_terms(4000u * MS).access == BURST_REFUSED);
}

/* Ten milliseconds in so many turns; whether a burst was tried is seen by what is known of them
 * afterwards, for there is no such thread. */
static bool look_tries(struct burst *burst, uint64_t n_turns)
{
    struct burst_terms terms = burst_terms(2 * MS);
    struct burst_target target = {.tid = 0x7fffffff};
    struct proc_times before = {0}, now = {.cpu_ns = 9 * MS, .n_turns = n_turns};
    burst_look(burst, &terms, &target, &before, &now, 10 * MS);
    return terms.access != BURST_UNKNOWN;
}

/* What a thread may spend on bursts of its second from this one on. */
static int64_t budget_of_a_second(uint64_t from_ns)
{
    struct burst burst;
    struct burst_terms terms = burst_terms(2 * MS);
    struct burst_target target = {.tid = 0x7fffffff};
    struct proc_times before = {.cpu_ns = from_ns}, now = {.cpu_ns = from_ns + 999 * MS};
    burst_init(&burst);
    int64_t first_ns = burst.budget_ns;
    burst_look(&burst, &terms, &target, &before, &now, 1000 * MS);
    return burst.budget_ns - first_ns;
}

static void a_thread_that_is_well_known_gets_fewer(void)
{
    CHECK(budget_of_a_second(0) == 999 * MS / 600);
    CHECK(budget_of_a_second(10000ull * MS) == 999 * MS / 1200);
}

static void a_thread_that_has_run_on_at_two_looks_gets_a_burst(void)
{
    struct burst burst;
    burst_init(&burst);
    CHECK(!look_tries(&burst, 1) && look_tries(&burst, 1));
}

static void a_thread_of_many_turns_gets_none(void)
{
    struct burst burst;
    burst_init(&burst);
    CHECK(!look_tries(&burst, 1) && !look_tries(&burst, 1000) && !look_tries(&burst, 1000));
    CHECK(!look_tries(&burst, 1) && look_tries(&burst, 1));
}

int main(void)
{
    RUN(the_usual_periods_may_have_bursts);
    RUN(whoever_asks_for_few_samples_gets_no_bursts);
    RUN(a_thread_that_is_well_known_gets_fewer);
    RUN(a_thread_that_has_run_on_at_two_looks_gets_a_burst);
    RUN(a_thread_of_many_turns_gets_none);
    return 0;
}
