/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that are told of memory, against what estimates really stray by: programs that
 * allocate in patterns are sampled as the agent does it, some hundred times each. */
#include "analyze/profile.h"

#include "../check.h"
#include "../records.h"

#include <math.h>

#define S    UINT64_C(1000000000)
#define MEAN 4096.0
#define RUNS 400

static struct draft draft;
static uint64_t random_state = 88172645463325252ull;

/* From 0 to 1. */
static double random_part(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / (double)(UINT64_C(1) << 53);
}

/* ---- a program ---- */

/* n objects of a size; those that are ours are line 10's, the others line 11's; those that do not
 * stay go when all have been made. */
struct program {
    unsigned n, size;
    bool (*is_ours)(unsigned i);
    bool (*stays)(unsigned i);
};

static bool yes(unsigned i)
{
    (void)i;
    return true;
}

static bool one_in_two(unsigned i)
{
    return i % 2 == 0;
}

static bool a_stretch(unsigned i)
{
    return i >= 2000 && i < 10000;
}

static bool half_by_chance(unsigned i)
{
    (void)i;
    return random_part() < 0.5;
}

static bool tenth_by_chance(unsigned i)
{
    (void)i;
    return random_part() < 0.1;
}

static bool later_ones(unsigned i)
{
    return i >= 4000;
}

/* ---- a run of it ---- */

static void describe(struct profile *profile)
{
    profile_add(profile, 0, draft_process(&draft, 100, "/home/me"));
    profile_add(profile, 0, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, 0, draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10));
    for (uint32_t id = 1; id <= 2; id++) {
        struct record_frame frame = {1, (int32_t)(2 * (id - 1))};
        struct record_stack *record = draft_begin(&draft, RECORD_STACK, sizeof *record);
        record->id = id;
        record->n_frames = 1;
        draft_bytes(&draft, &frame, sizeof frame);
        profile_add(profile, 0, draft_head(&draft));
    }
}

static void alloc(struct profile *profile, unsigned i, unsigned size, bool is_ours)
{
    struct record_alloc *record = draft_begin(&draft, RECORD_ALLOC, sizeof *record);
    record->time_ns = S + i;
    record->address = 4096 + 16 * (uint64_t)i;
    record->size = size;
    record->mean = (uint64_t)MEAN;
    record->stack = is_ours ? 1 : 2;
    record->tid = 100;
    record->domain = MEMORY_PYTHON;
    profile_add(profile, 0, draft_head(&draft));
}

static void give_back(struct profile *profile, unsigned i)
{
    struct record_free *record = draft_begin(&draft, RECORD_FREE, sizeof *record);
    record->time_ns = 2 * S;
    record->address = 4096 + 16 * (uint64_t)i;
    profile_add(profile, 0, draft_head(&draft));
}

static double first_sample(void)
{
    double a = random_part(), b = random_part();
    return random_part() < 0.5 ? a * MEAN / 2 : MEAN / 2 + fmin(a, b) * MEAN;
}

/* The byte that is sampled next. */
static double next_sample(double at, unsigned size)
{
    double end = (floor(at / size) + 1) * size;
    do
        at += MEAN / 2 + random_part() * MEAN;
    while (at < end);
    return at;
}

/* What is estimated of line 10; of the truth in objects. */
static struct profile_memory run(const struct program *p, unsigned *n_ours, unsigned *n_live)
{
    static bool stays[65536];
    const struct profile_input input = {.filter = {.program_path = "/home/me"}};
    struct profile *profile = profile_new(&input);
    struct profile_memory found = {0};
    double at = first_sample();
    *n_ours = *n_live = 0;
    describe(profile);
    for (unsigned i = 0; i < p->n; i++) {
        bool is_ours = p->is_ours(i);
        stays[i] = p->stays(i);
        *n_ours += is_ours;
        *n_live += is_ours && stays[i];
        if (at >= (double)(i + 1) * p->size)
            continue;
        alloc(profile, i, p->size, is_ours);
        at = next_sample(at, p->size);
    }
    for (unsigned i = 0; i < p->n; i++)
        if (!stays[i])
            give_back(profile, i); /* what was not sampled is not known, and nothing happens */
    const struct profile_result *result = profile_finish(profile);
    for (size_t i = 0; i < result->files[0].n_lines; i++)
        if (result->files[0].lines[i].lineno == 10)
            found = result->files[0].lines[i].memory;
    profile_free(profile);
    return found;
}

/* ---- many runs of it ---- */

struct coverage {
    double volume, live;        /* how often 95% intervals hold the truth */
    double told, strayed;       /* of the volume: root of the mean square */
    double told_live, off_live; /* of what is live */
};

static struct coverage repeat(const struct program *p)
{
    struct coverage c = {0};
    for (int i = 0; i < RUNS; i++) {
        unsigned n_ours, n_live;
        struct profile_memory m = run(p, &n_ours, &n_live);
        double off = m.allocated - (double)n_ours * p->size;
        double off_live = m.live - (double)n_live * p->size;
        c.volume += (fabs(off) <= 1.96 * m.allocated_error) / (double)RUNS;
        c.live += (fabs(off_live) <= 1.96 * m.live_error) / (double)RUNS;
        c.told += m.allocated_error * m.allocated_error / RUNS;
        c.strayed += off * off / RUNS;
        c.told_live += m.live_error * m.live_error / RUNS;
        c.off_live += off_live * off_live / RUNS;
    }
    return c;
}

static void check(struct program p)
{
    struct coverage c = repeat(&p);
    CHECK_NEAR(c.volume, 0.945, 0.045);
    CHECK_NEAR(c.live, 0.945, 0.045);
    CHECK_NEAR(sqrt(c.told / c.strayed), 1, 0.2);
    CHECK_NEAR(sqrt(c.told_live / c.off_live), 1, 0.2);
}

static void a_line_that_allocates_alone_is_as_sure_as_its_samples_are_even(void)
{
    check((struct program){8000, 100, yes, yes});
    check((struct program){800, 1000, yes, yes});
    check((struct program){300, 3000, yes, yes});
    check((struct program){12000, 100, a_stretch, yes});
}

static void lines_that_take_turns_are_less_sure(void)
{
    check((struct program){16000, 100, half_by_chance, yes});
    check((struct program){40000, 100, tenth_by_chance, yes});
    check((struct program){16000, 100, one_in_two, yes});
}

static void what_is_left_when_others_went_is_less_sure(void)
{
    check((struct program){8000, 100, yes, half_by_chance});
    check((struct program){40000, 100, yes, tenth_by_chance});
    check((struct program){8000, 100, yes, one_in_two});
    check((struct program){8000, 100, yes, later_ones});
}

int main(void)
{
    RUN(a_line_that_allocates_alone_is_as_sure_as_its_samples_are_even);
    RUN(lines_that_take_turns_are_less_sure);
    RUN(what_is_left_when_others_went_is_less_sure);
    return 0;
}
