/* SPDX-License-Identifier: Apache-2.0 */
/* Whose time the accounts of a part number are.
 *
 * Threads with few samples share them in a pool (pool.h). If they are a few and lived long, such as
 * workers that mostly wait, each is told by itself all the same: its waits and idle moments are its
 * own, and of the pool's time on lines it has the share that its clock has of theirs. Many short
 * threads are one part. */
#include "analyze/parts.h"

#define DIVIDED_MAX   32u  /* as many workers as an executor has */
#define DIVIDED_LEAST 0.05 /* of the run: who lives shorter is not looked for by name */

/* Short threads of a kind are called by the function they begin in, if it is known. */
static const char *pool_name(const struct process *process, const struct thread *thread,
                             const char *name)
{
    const struct code *code = thread->entry ? codes_find(&process->codes, thread->entry) : NULL;
    return code ? code->name : name;
}

static void count_pooled(struct parts *parts, const struct thread *thread)
{
    const struct inside_thread *life = &thread->inside;
    if (!thread->pooled_part)
        return;
    struct owner *pool = &parts->owners[thread->pooled_part];
    pool->n_pooled++;
    pool->lived_ns += life->end_ns > life->start_ns ? (double)(life->end_ns - life->start_ns) : 0;
}

static bool is_divided(const struct owner *pool, double length_s)
{
    double lived_s = pool->lived_ns * 1e-9;
    return pool->n_pooled <= DIVIDED_MAX &&
           lived_s > DIVIDED_LEAST * length_s * (double)pool->n_pooled;
}

static void add_owner(struct parts *parts, const struct process *process,
                      const struct thread *thread, const struct profile_thread *made,
                      double length_s)
{
    uint32_t pool = thread->pooled_part, into = pool ? pool : thread->part;
    if (pool && is_divided(&parts->owners[pool], length_s)) {
        into = thread->part;
        if (into != pool) { /* after the first, the latest first */
            parts->next[into] = parts->next[pool];
            parts->next[pool] = into;
        }
    }
    struct owner *owner = &parts->owners[into];
    parts->into[thread->part] = into;
    owner->process = (uint32_t)process->judge.process;
    owner->cpu_s += made->cpu_s;
    owner->n_threads++;
    owner->name = owner->n_threads > 1 ? pool_name(process, thread, made->name) : made->name;
}

void parts_own(struct parts *parts, const struct profile *profile,
               const struct profile_result *result)
{
    double length_s = result->timeline.length_s;
    for (size_t p = 0; p < profile->processes.n; p++)
        for (size_t t = 0; t < profile->processes.items[p]->threads.n; t++)
            count_pooled(parts, &profile->processes.items[p]->threads.items[t]);
    for (size_t p = 0; p < profile->processes.n; p++) {
        const struct process *process = profile->processes.items[p];
        if (process->part) {
            parts->into[process->part] = process->part;
            parts->owners[process->part].process = (uint32_t)p;
            parts->owners[process->part].name = "unknown thread";
        }
        for (size_t t = 0; t < process->threads.n; t++)
            add_owner(parts, process, &process->threads.items[t], &result->processes[p].threads[t],
                      length_s);
    }
}
