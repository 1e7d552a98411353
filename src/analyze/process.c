/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/process.h"

struct thread *process_thread(const struct process *process, uint32_t tid)
{
    const size_t *id = map_find(&process->thread_ids, &tid, sizeof tid);
    return id ? &process->threads.items[*id - 1] : NULL;
}

struct thread *process_new_thread(struct process *process, uint32_t tid, uint64_t cpu_ns)
{
    struct thread *thread = vec_push(&process->threads);
    thread->tid = tid;
    thread->start_cpu_ns = thread->cpu_ns = cpu_ns;
    *map_at(&process->thread_ids, &tid, sizeof tid, NULL) = process->threads.n;
    return thread;
}

void process_name_thread(struct process *process, struct thread *thread, uint64_t ident)
{
    thread->ident = ident;
    *map_at(&process->thread_idents, &ident, sizeof ident, NULL) =
        (size_t)(thread - process->threads.items) + 1;
}

const struct thread *process_thread_named(const struct process *process, uint64_t ident)
{
    const size_t *id = map_find(&process->thread_idents, &ident, sizeof ident);
    return id ? &process->threads.items[*id - 1] : NULL;
}

const struct thread *process_main_thread(const struct process *process)
{
    for (size_t i = 0; i < process->threads.n; i++)
        if (process->threads.items[i].is_main)
            return &process->threads.items[i];
    return NULL;
}

void process_saw_time(struct process *process, uint64_t time_ns)
{
    if (!process->is_over && time_ns > process->last_time_ns)
        process->last_time_ns = time_ns;
}

void process_switch(struct process *process, uint64_t time_ns, bool is_off)
{
    if (is_off == (process->off_since_ns != 0))
        return;
    if (!is_off && time_ns > process->off_since_ns)
        process->off_ns += time_ns - process->off_since_ns;
    process->off_since_ns = is_off ? time_ns : 0;
}

uint64_t process_measured_ns(const struct process *process)
{
    uint64_t end_ns = process->off_since_ns ? process->off_since_ns : process->last_time_ns;
    uint64_t away_ns = process->record.time_ns + process->off_ns;
    return end_ns > away_ns ? end_ns - away_ns : 0;
}

void process_fini(struct process *process)
{
    for (size_t i = 0; i < process->threads.n; i++) {
        ledger_fini(&process->threads.items[i].ledger);
        inside_fini(&process->threads.items[i].inside);
    }
    vec_fini(&process->threads);
    pools_fini(&process->pools);
    map_fini(&process->thread_ids);
    map_fini(&process->thread_idents);
    codes_fini(&process->codes);
    judge_fini(&process->judge);
    heap_fini(&process->heap);
}
