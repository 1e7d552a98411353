/* SPDX-License-Identifier: Apache-2.0 */
/* One sample: which line it is charged to, with what weight, and what the processor was doing. */
#include "analyze/charge.h"

/* Threads that create threads that create threads: further up is the main one. */
#define CREATORS_MAX 8

/* A thread Python does not know works for the one that made it: its time goes to the line that one
 * was last seen on, or else the main thread. */
static struct charge charge_of_creator(const struct process *process, const struct thread *thread)
{
    for (int i = 0; thread && i < CREATORS_MAX; i++) {
        thread = thread->creator_tid ? process_thread(process, thread->creator_tid) : NULL;
        if (thread && thread->last_frame)
            return charge_last(thread);
    }
    thread = process_main_thread(process);
    return thread ? charge_last(thread) : (struct charge){0, 0};
}

/* The account of a sample of a thread with Python frames; its instruction is counted. */
static struct account python_account(struct profile *profile, struct process *process,
                                     const struct record_sample *sample,
                                     const struct record_frame *frames, const uint64_t *pcs)
{
    bool is_cut = sample->head.flags & SAMPLE_FRAMES_CUT;
    struct charge charge = charge_find(profile, process, frames, sample->n_frames, is_cut);
    enum verdict verdict = judge_python_thread(&process->judge, sample, pcs);
    struct account account = {
        .frame = charge.frame, .stack = charge.stack, .verdict = (uint16_t)verdict};
    struct code *code = codes_find(&process->codes, frames[0].code);
    if (code) {
        bool is_helper = verdict == VERDICT_HELPER;
        enum operation_place place = !is_helper ? OPERATION_ELSEWHERE
                                     : judge_is_library(&process->judge, pcs[0]) ? OPERATION_LIBRARY
                                                                                 : OPERATION_HELPER;
        uint32_t operation = operations_count(&profile->operations, code, frames[0].instr, place);
        account.operation = is_helper ? operation : 0;
    } else if (verdict == VERDICT_HELPER) {
        account.verdict = VERDICT_PYTHON;
    }
    return account;
}

static struct account account_of(struct profile *profile, struct process *process,
                                 struct thread *thread, const struct record_sample *sample,
                                 const struct record_frame *frames, const uint64_t *pcs)
{
    if (sample->n_frames > 0) {
        struct account account = python_account(profile, process, sample, frames, pcs);
        thread->has_python = true;
        if (account.frame)
            thread_saw(thread, sample->time_ns, account.frame, account.stack);
        return account;
    }
    struct charge charge = {0, 0};
    if (sample->head.flags & SAMPLE_NO_THREAD_STATE)
        charge = charge_of_creator(process, thread);
    enum verdict verdict = judge_native_thread(&process->judge, sample, pcs);
    return (struct account){.frame = charge.frame,
                            .stack = charge.stack,
                            .verdict = (uint16_t)verdict,
                            .is_helper = true};
}

bool sample_add(struct profile *profile, struct process *process,
                const struct record_sample *sample)
{
    uint64_t n_words = (uint64_t)sample->n_frames + sample->n_pcs;
    if (n_words * 8 > sample->head.size - sizeof *sample)
        return false;
    const struct record_frame *frames = (const struct record_frame *)(sample + 1);
    const uint64_t *pcs = (const uint64_t *)(frames + sample->n_frames);
    struct thread *thread = process_thread(process, sample->tid);
    if (!thread || thread->is_over) /* its RECORD_THREAD was dropped: what it did before is lost */
        thread = history_new_thread(profile, process, sample->tid, sample->cpu_ns);
    uint64_t weight_ns = thread_advance(thread, sample->cpu_ns);
    struct account account = account_of(profile, process, thread, sample, frames, pcs);
    uint64_t long_ns = weight_ns < sample->time_ns ? weight_ns : sample->time_ns;
    const struct history_span span = {sample->time_ns - long_ns, sample->time_ns, (double)weight_ns,
                                      1};
    history_add(profile, &thread->ledger, &account, &span);
    if (sample->engine == ENGINE_THREAD_TIMER)
        thread_tick(thread, sample->cpu_ns, account.verdict == VERDICT_SYSTEM);
    thread->n_samples++;
    process->n_samples++;
    profile->n_samples++;
    profile->weights += (double)weight_ns;
    profile->squares += (double)weight_ns * (double)weight_ns;
    process_saw_time(process, sample->time_ns);
    inside_heard(profile, process, thread, sample->time_ns);
    if (account.frame)
        places_seen(&profile->places, account.frame, sample->time_ns);
    charge_limit_stacks(profile);
    return true;
}

void sample_end_thread(struct profile *profile, struct process *process, struct thread *thread)
{
    if (pools_want(thread))
        pools_add(&process->pools, thread);
    else
        process->outside_ns += thread_settle(thread, &profile->ledger);
    ledger_fini(&thread->ledger);
    thread->is_over = true;
    if (!thread->inside.end_ns)
        thread->inside.end_ns = thread->inside.heard_ns;
}
