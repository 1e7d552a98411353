/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/pace.h"

#define LOOK_MIN_NS 5000000
#define LOOK_MAX_NS 15000000
#define CALM_PART   10                         /* of a calm may pass until the next look */
#define CALM_MAX    5                          /* times as rare at most in calm moments */
#define LONG_NS     ((int64_t)10 * 1000000000) /* looks are as dense as can be twice as long */
#define LONG_MAX    5                          /* times as rare at most in long runs */
#define STARVED_MAX 3.0                        /* times as rare where threads only want to run */
#define HOT_TURNS   1000.0                     /* a second: from here on looks are budgeted */
#define HOT_SHARE   0.01                       /* of the target's CPU time may go into looks */
#define HOT_MAX     8.0                        /* times as rare at most for the budget's sake */
/* Averages forget half of what they knew in so long. */
#define HALF_NS 500e6

void pace_init(struct pace *pace)
{
    *pace = (struct pace){.random = 0x9e3779b97f4a7c15ull};
}

static int64_t random_ns(struct pace *pace)
{
    pace->random ^= pace->random << 13;
    pace->random ^= pace->random >> 7;
    pace->random ^= pace->random << 17;
    return LOOK_MIN_NS + (int64_t)(pace->random % (LOOK_MAX_NS - LOOK_MIN_NS));
}

/* Averages over time, so that it does not matter how often we look. */
static void learn(struct pace *pace, const struct pace_look *look)
{
    double length_ns = (double)(look->now_ns - pace->looked_ns);
    double weight = length_ns / (length_ns + HALF_NS);
    pace->cost_ns += ((double)look->cost_ns - pace->cost_ns) * (pace->cost_ns > 0 ? 0.1 : 1.0);
    if (length_ns <= 0)
        return;
    pace->ran_share += ((double)look->ran_ns / length_ns - pace->ran_share) * weight;
    pace->delayed_share += ((double)look->delayed_ns / length_ns - pace->delayed_share) * weight;
    pace->turns_per_s += (1e9 * (double)look->n_turns / length_ns - pace->turns_per_s) * weight;
}

/* How many times rarer looks have to be to keep within the budget. */
static double thrift(const struct pace *pace)
{
    double usual_ns = (LOOK_MIN_NS + LOOK_MAX_NS) / 2;
    double allowed_ns = HOT_SHARE * pace->ran_share * usual_ns;
    if (pace->turns_per_s < HOT_TURNS || pace->cost_ns <= allowed_ns)
        return 1.0;
    return pace->cost_ns >= HOT_MAX * allowed_ns ? HOT_MAX : pace->cost_ns / allowed_ns;
}

/* The same for a machine that has more to do than CPUs. */
static double starvation(const struct pace *pace)
{
    double share = pace->delayed_share < 1.0 ? pace->delayed_share : 1.0;
    return 1.0 + (STARVED_MAX - 1.0) * share;
}

/* A calm that has lasted long may go on unseen for a part of that: so its length is known to that
 * part, be it short or long. */
static double calm(struct pace *pace, const struct pace_look *look)
{
    if (!look->is_calm || !pace->calm_ns)
        pace->calm_ns = look->now_ns;
    double usual_ns = (LOOK_MIN_NS + LOOK_MAX_NS) / 2;
    double times = (double)(look->now_ns - pace->calm_ns) / CALM_PART / usual_ns;
    return times < 1.0 ? 1.0 : times > CALM_MAX ? CALM_MAX : times;
}

int64_t pace_next_ns(struct pace *pace, const struct pace_look *look)
{
    if (pace->start_ns)
        learn(pace, look);
    else
        pace->start_ns = look->now_ns;
    pace->looked_ns = look->now_ns;
    int64_t age = (look->now_ns - pace->start_ns) / LONG_NS;
    int64_t usual_ns = random_ns(pace) * (age < 1 ? 1 : age > LONG_MAX ? LONG_MAX : age);
    return (int64_t)(calm(pace, look) * thrift(pace) * starvation(pace) * (double)usual_ns);
}
