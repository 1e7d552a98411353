/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/leak.h"

#include "analyze/rows.h"

#include <math.h>

#define LEAST_RUN_NS   1000000000u /* in a shorter run everything looks as if it stayed */
#define LEAST_BLOCKS   4u
#define CHANCE         1e-4 /* less likely than this by chance: stopped, or slowing down */
#define LEAST_SURVIVAL 0.85
#define MOMENTS        100u /* of R: blocks made in one of them count once when pauses are judged */
#define RECENT         0.9  /* looks from here on may stand for the end of the run */
#define LOST           0.9  /* blocks that are left, of a line that has begun to drop them */
#define SMALL_BYTES    512  /* Python's small blocks, among them all that it keeps in its lists */
#define BESIDE         0.05 /* of the fastest leak: what its lists may have handed on */
#define SURE           3.7  /* standard errors beyond which an estimate is by CHANCE only */
#define LOOKS          20u  /* the next look is when the run is longer by this part */

/* Ages, as parts of the run, at which survival is looked at. */
static const double grown_ages[] = {0.1, 0.25};
#define GROWN 2u

/* What is still there of a line at the end. */
struct evidence {
    unsigned thirds[3];        /* of R */
    double h[2], squares[2];   /* weights of h1 and h2, and the sums of their squares */
    unsigned survivors[GROWN]; /* by age */
    double weights[GROWN];     /* of those */
    double latest;             /* made in R, as a part of the run */
    uint64_t moments[2];       /* bits: the moments of R in which some were made */
    double bytes, variance;    /* made in R */
    bool has_large;            /* made in R: one that is not among Python's small blocks */
};

static void note(struct evidence *evidence, const struct block *block, double born)
{
    if (born > 0.9)
        return;
    double weight = heap_weight(block);
    for (size_t i = 0; i < GROWN && born <= 1 - grown_ages[i]; i++) {
        evidence->survivors[i]++;
        evidence->weights[i] += weight;
    }
    if (born >= 0.1) {
        evidence->h[born >= 0.5] += weight;
        evidence->squares[born >= 0.5] += weight * weight;
    }
    if (born < 0.45)
        return;
    unsigned third = (unsigned)((born - 0.45) / 0.15);
    evidence->thirds[third > 2 ? 2 : third]++;
    evidence->latest = fmax(evidence->latest, born);
    unsigned moment = (unsigned)((born - 0.45) / 0.45 * MOMENTS);
    moment = moment < MOMENTS ? moment : MOMENTS - 1;
    evidence->moments[moment / 64] |= UINT64_C(1) << moment % 64;
    evidence->bytes += (double)block->bytes;
    evidence->variance += rows_block_variance(block, 1);
    evidence->has_large |= !block->is_python || heap_size(block) > SMALL_BYTES;
}

/* The chance of at most k heads in n throws of a coin. */
static double coin_tail(unsigned k, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i <= k; i++)
        sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * M_LN2);
    return sum;
}

/* Weights become numbers again by the larger of the two averages: as many as are known as surely.
 */
static bool is_slowing(const struct evidence *e)
{
    if (e->h[1] >= e->h[0] / 2)
        return false;
    double unit = e->squares[0] / e->h[0];
    if (e->h[1] > 0)
        unit = fmax(unit, e->squares[1] / e->h[1]);
    unsigned h1 = (unsigned)lround(e->h[0] / unit), h2 = (unsigned)lround(e->h[1] / unit);
    return coin_tail(h2, h1 + h2) < CHANCE;
}

static bool keeps_growing(const struct evidence *e)
{
    unsigned n = e->thirds[0] + e->thirds[1] + e->thirds[2];
    if (n < LEAST_BLOCKS || !e->thirds[0] || !e->thirds[1] || !e->thirds[2])
        return false;
    int n_moments = __builtin_popcountll(e->moments[0]) + __builtin_popcountll(e->moments[1]);
    bool has_stopped = exp(-n_moments * (0.9 - e->latest) / 0.45) < CHANCE;
    return !has_stopped && !is_slowing(e);
}

/* The likelihood at the age where survival is best; 0 when old blocks are given back. */
static double survival(const struct evidence *e, const struct heap *heap, uint32_t line,
                       double run_ns)
{
    double best = 0, likelihood = 0;
    for (size_t i = 0; i < GROWN; i++) {
        double alive = e->survivors[i];
        if (alive < LEAST_BLOCKS)
            continue;
        double dead = heap_older(heap, line, (uint64_t)(grown_ages[i] * run_ns));
        dead *= alive / e->weights[i]; /* as many as of those that live have its weight */
        if (alive / (alive + dead) < fmax(LEAST_SURVIVAL, best))
            continue;
        best = alive / (alive + dead);
        likelihood = fmax(likelihood, 1 - (dead + 1) / (alive + dead + 2));
    }
    return likelihood;
}

static struct leak judge(const struct evidence *e, const struct heap *heap, uint32_t line,
                         double run_ns)
{
    double seconds = 0.45 * run_ns * 1e-9;
    struct leak leak = {.n_blocks = e->survivors[0], .seen_ns = (uint64_t)run_ns};
    if (!keeps_growing(e))
        return leak;
    leak.likelihood = survival(e, heap, line, run_ns);
    leak.bytes_s = e->bytes / seconds;
    leak.is_small = !e->has_large;
    leak.variance = e->variance / (seconds * seconds);
    return leak;
}

void leak_join(struct leak *leak, const struct leak *other)
{
    if (other->likelihood > 0 && (leak->likelihood <= 0 || other->bytes_s > leak->bytes_s))
        *leak = *other;
}

/* One look at all lines: found[line] is what is there. */
static void judge_all(const struct heap *heap, const struct places *places, uint64_t start_ns,
                      double run_ns, struct leak *found, size_t n_lines)
{
    struct evidence *all = xrealloc(NULL, n_lines * sizeof *all);
    memset(all, 0, n_lines * sizeof *all);
    for (size_t i = 0; i < heap->room; i++) {
        const struct block *block = &heap->slots[i];
        if (!block->address || block->frame == PLACES_NO_FRAME)
            continue;
        double age_ns = block->time_ns > start_ns ? (double)(block->time_ns - start_ns) : 0;
        note(&all[places->frames.items[block->frame].line], block, age_ns / run_ns);
    }
    for (uint32_t line = 0; line < n_lines; line++)
        found[line] = judge(&all[line], heap, line, run_ns);
    free(all);
}

/* A leak that has lost blocks since a look that is not long ago is what it was then. */
static void keep_looks(struct leak *found, const struct leak *looks, size_t n_looks, double run_ns)
{
    for (size_t i = 0; i < n_looks; i++) {
        bool is_recent = (double)looks[i].seen_ns >= RECENT * run_ns;
        bool is_leak = looks[i].likelihood > 0 && found[i].likelihood <= 0;
        if (is_recent && is_leak && found[i].n_blocks < LOST * looks[i].n_blocks)
            found[i] = looks[i];
    }
}

/* Lines that most likely made what another one keeps: whose speed is not surely above its part. A
 * few samples of some bytes each would else be as often above it as below. */
static void leave_out_small(struct leak *found, size_t n_lines)
{
    double fastest = 0;
    for (size_t i = 0; i < n_lines; i++)
        if (found[i].likelihood > 0)
            fastest = fmax(fastest, found[i].bytes_s);
    for (size_t i = 0; i < n_lines; i++) {
        double least_s = found[i].bytes_s - SURE * sqrt(found[i].variance);
        if (found[i].is_small && found[i].bytes_s < fastest && least_s < BESIDE * fastest)
            found[i].likelihood = 0;
    }
}

void leak_look(struct heap *heap, const struct places *places, uint64_t start_ns, uint64_t now_ns,
               size_t n_lines)
{
    uint64_t run_ns = now_ns > start_ns ? now_ns - start_ns : 0;
    if (run_ns < LEAST_RUN_NS || run_ns < heap->next_look_ns || n_lines == 0)
        return;
    struct leak *found = xrealloc(NULL, n_lines * sizeof *found);
    judge_all(heap, places, start_ns, (double)run_ns, found, n_lines);
    keep_looks(found, heap->looks, heap->n_looks, (double)run_ns);
    free(heap->looks);
    heap->looks = found;
    heap->n_looks = n_lines;
    heap->next_look_ns = run_ns + run_ns / LOOKS;
}

void leak_judge(const struct heap *heap, const struct places *places, uint64_t start_ns,
                uint64_t end_ns, struct leak *leaks, size_t n_lines)
{
    if (n_lines == 0 || end_ns <= start_ns || end_ns - start_ns < LEAST_RUN_NS)
        return;
    double run_ns = (double)(end_ns - start_ns);
    struct leak *found = xrealloc(NULL, n_lines * sizeof *found);
    judge_all(heap, places, start_ns, run_ns, found, n_lines);
    keep_looks(found, heap->looks, heap->n_looks < n_lines ? heap->n_looks : n_lines, run_ns);
    leave_out_small(found, n_lines);
    for (size_t i = 0; i < n_lines; i++)
        leak_join(&leaks[i], &found[i]);
    free(found);
}
