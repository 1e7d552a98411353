/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/burst.h"

#include "../check.h"

#define MS 1000000

static void the_usual_period_has_the_whole_budget(void)
{
    CHECK(burst_terms(2 * MS).access == BURST_UNKNOWN);
    CHECK(burst_terms(2 * MS).share == burst_terms(1 * MS).share);
}

static void a_longer_period_has_less(void)
{
    CHECK(burst_terms(10 * MS).share > burst_terms(2 * MS).share);
    CHECK(burst_terms(10 * MS).access == BURST_UNKNOWN);
}

static void whoever_asks_for_few_samples_gets_no_bursts(void)
{
    CHECK(burst_terms(11 * MS).access == BURST_REFUSED);
    CHECK(burst_terms(4000u * MS).access == BURST_REFUSED);
}

int main(void)
{
    RUN(the_usual_period_has_the_whole_budget);
    RUN(a_longer_period_has_less);
    RUN(whoever_asks_for_few_samples_gets_no_bursts);
    return 0;
}
