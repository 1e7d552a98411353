/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the timeline of the result small: few threads are dear, and few of their moments. */
#include "analyze/parts.h"

/* What is put in order by what it costs. */
struct ranked {
    double cost;
    size_t i;
};

static int dearest_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->i < b->i ? -1 : a->i > b->i;
}

static void sort(struct ranked *ranking, size_t n)
{
    if (n > 1)
        qsort(ranking, n, sizeof *ranking, dearest_first);
}

/* ---- threads ---- */

static void count_seconds(struct parts *parts)
{
    for (size_t i = 0; i < parts->n_owners; i++)
        parts->owners[i].seconds = 0;
    for (size_t i = 0; i < parts->cells.n; i++)
        parts->owners[parts->cells.items[i].account.part].seconds += parts->cells.items[i].time_ns;
}

/* Numbers the parts: the `limit` dearest owners in their order, then the rest of each process, for
 * as many of those as there may be parts. */
static size_t number(struct parts *parts, const struct ranked *ranking, size_t n_ranked,
                     size_t limit, size_t n_processes)
{
    size_t n = 0, n_rests = n_processes < PARTS_MAX ? n_processes : PARTS_MAX;
    uint32_t *rests = xcalloc(n_rests + 1, sizeof *rests); /* number plus one */
    for (size_t i = 1; i < parts->n_owners; i++)
        parts->owners[i].into = PROFILE_NONE;
    for (size_t i = 0; i < n_ranked && i < limit; i++)
        parts->owners[ranking[i].i].into = 0;
    for (size_t i = 1; i < parts->n_owners; i++)
        if (parts->owners[i].into == 0)
            parts->owners[i].into = (uint32_t)n++;
    for (size_t i = limit; i < n_ranked; i++) {
        struct owner *owner = &parts->owners[ranking[i].i];
        size_t which = owner->process < n_rests ? owner->process : n_rests;
        if (!rests[which])
            rests[which] = (uint32_t)++n;
        owner->into = rests[which] - 1;
    }
    free(rests);
    return n;
}

/* How many cells there are when time is left out. */
static size_t count_settled(const struct parts *parts)
{
    struct ledger settled = {0};
    const struct ledger *both[] = {&parts->cells, &parts->waits};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < both[k]->n; i++) {
            struct account account = both[k]->items[i].account;
            account.part = parts->owners[account.part].into;
            account.slice = (uint32_t)k;
            ledger_add(&settled, &account, 0, 0);
        }
    }
    size_t n = settled.n;
    ledger_fini(&settled);
    return n;
}

size_t parts_limit(struct parts *parts, size_t n_processes)
{
    struct ranked *ranking = xcalloc(parts->n_owners + 1, sizeof *ranking);
    size_t n_ranked = 0, n;
    count_seconds(parts);
    for (size_t i = 1; i < parts->n_owners; i++)
        if (parts->owners[i].name)
            ranking[n_ranked++] = (struct ranked){parts->owners[i].seconds, i};
    sort(ranking, n_ranked);
    size_t limit = PARTS_MAX;
    do {
        n = number(parts, ranking, n_ranked, limit, n_processes);
        limit /= 2;
    } while (limit && n_ranked > limit && count_settled(parts) > PARTS_SETTLED);
    free(ranking);
    return n;
}

/* ---- moments ---- */

void parts_limit_cells(struct ledger *cells, struct ledger *rest)
{
    struct ledger limited = {0};
    struct ranked *ranking = xcalloc(cells->n + 1, sizeof *ranking);
    for (size_t i = 0; i < cells->n; i++)
        ranking[i] = (struct ranked){cells->items[i].time_ns, i};
    sort(ranking, cells->n);
    for (size_t i = 0; i < cells->n; i++) {
        struct entry entry = cells->items[ranking[i].i];
        if (i >= PARTS_CELLS) {
            struct account when = entry.account;
            when.frame = PROFILE_NONE;
            ledger_add(rest, &when, entry.time_ns, entry.n_seen);
            entry.account.slice = PROFILE_NONE;
        }
        ledger_add(&limited, &entry.account, entry.time_ns, entry.n_seen);
    }
    free(ranking);
    ledger_fini(cells);
    *cells = limited;
}
