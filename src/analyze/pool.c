/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/pool.h"

#include "analyze/places.h"

bool pools_want(const struct thread *thread)
{
    return !thread->is_main && thread->n_samples < POOL_SAMPLES;
}

/* Threads that Python knows belong together if they begin in the same function, others if the same
 * thread has made them. */
static struct pool *pool_of(struct pools *pools, const struct thread *thread)
{
    const uint32_t key[] = {thread->entry, thread->entry ? 0 : thread->creator_tid};
    size_t *id = map_at(&pools->ids, key, sizeof key, NULL);
    if (*id == 0) {
        vec_push(pools);
        *id = pools->n;
    }
    return &pools->items[*id - 1];
}

void pools_add(struct pools *pools, struct thread *thread)
{
    struct pool *pool = pool_of(pools, thread);
    pool->part = pool->part ? pool->part : thread->part;
    thread->pooled_part = pool->part;
    pool->clock_ns += (double)(thread->cpu_ns - thread->start_cpu_ns);
    pool->n_samples += thread->n_samples;
    for (size_t i = 0; i < thread->ledger.n; i++)
        ledger_add(&pool->ledger, &thread->ledger.items[i].account, 0,
                   thread->ledger.items[i].n_seen);
}

static double settle(const struct pool *pool, struct ledger *into)
{
    double outside_ns = pool->n_samples ? 0 : pool->clock_ns;
    for (size_t i = 0; i < pool->ledger.n; i++) {
        const struct entry *entry = &pool->ledger.items[i];
        double time_ns = pool->clock_ns * (double)entry->n_seen / (double)pool->n_samples;
        if (entry->account.frame == PLACES_NO_FRAME)
            outside_ns += time_ns;
        else
            ledger_add_part(into, pool->part, entry, time_ns);
    }
    return outside_ns;
}

double pools_settle(const struct pools *pools, struct ledger *into)
{
    double outside_ns = 0;
    for (size_t i = 0; i < pools->n; i++)
        outside_ns += settle(&pools->items[i], into);
    return outside_ns;
}

void pools_move_stacks(struct pools *pools, const uint32_t *new_ids)
{
    for (size_t i = 0; i < pools->n; i++)
        ledger_move_stacks(&pools->items[i].ledger, new_ids);
}

void pools_halve_slices(struct pools *pools)
{
    for (size_t i = 0; i < pools->n; i++)
        ledger_halve_slices(&pools->items[i].ledger);
}

void pools_fini(struct pools *pools)
{
    for (size_t i = 0; i < pools->n; i++)
        ledger_fini(&pools->items[i].ledger);
    vec_fini(pools);
    map_fini(&pools->ids);
}
