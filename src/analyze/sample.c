/* SPDX-License-Identifier: Apache-2.0 */
/* One sample: which line it is charged to, with what weight, and what the processor was doing. */
#include "analyze/state.h"

/* Threads that create threads that create threads: further up is the main one. */
#define CREATORS_MAX 8

/* Where a sample's time goes. */
struct charge {
    uint32_t frame, stack;
};

/* The code object whose function a frame belongs to: for a comprehension the nearest frame outside
 * of it, of the same file, that may be the function around it. */
static const struct code *function_code(const struct process *process,
                                        const struct record_frame *frames, size_t n, size_t i)
{
    const struct code *code = codes_find(&process->codes, frames[i].code);
    for (size_t k = i + 1; code->is_comprehension && k < n; k++) {
        const struct code *outer = codes_find(&process->codes, frames[k].code);
        if (outer && !outer->is_comprehension && outer->path == code->path &&
            (!code->is_qualified || outer->name == code->name))
            return outer;
    }
    return code;
}

static uint32_t frame_of(struct profile *profile, const struct process *process,
                         const struct record_frame *frames, size_t n, size_t i)
{
    const struct code *code = codes_find(&process->codes, frames[i].code);
    const struct code *owner = function_code(process, frames, n, i);
    struct function function = {owner->path, owner->name, owner->first_line, owner->is_coroutine};
    uint32_t id = places_function(&profile->places, &function);
    return places_frame(&profile->places, id, code_line(code, frames[i].instr));
}

/* Only frames of profiled files make a stack; the innermost of them is charged. */
static struct charge charge_of(struct profile *profile, const struct process *process,
                               const struct record_frame *frames, size_t n, bool is_cut)
{
    vec_of(uint32_t) stack = {0};
    for (size_t i = n; i-- > 0;) {
        const struct code *code = codes_find(&process->codes, frames[i].code);
        if (code && code->is_profiled)
            *vec_push(&stack) = frame_of(profile, process, frames, n, i);
    }
    struct charge charge = {PLACES_NO_FRAME, 0};
    if (stack.n) {
        charge.frame = stack.items[stack.n - 1];
        charge.stack =
            stacks_add(&profile->stacks, stack.items, (uint32_t)stack.n, is_cut ? STACK_IS_CUT : 0);
    }
    vec_fini(&stack);
    return charge;
}

/* charge_of, remembered. */
static struct charge find_charge(struct profile *profile, const struct process *process,
                                 const struct record_frame *frames, size_t n, bool is_cut)
{
    const uint64_t about[] = {process->judge.process, is_cut};
    uint64_t hash = memo_hash(memo_hash(0, about, 2), frames, n);
    struct memo_slot *slot = memo_slot(&profile->stack_memo, hash);
    if (slot->hash != hash) {
        struct charge charge = charge_of(profile, process, frames, n, is_cut);
        *slot = (struct memo_slot){hash, (uint64_t)charge.frame << 32 | charge.stack};
    }
    return (struct charge){(uint32_t)(slot->answer >> 32), (uint32_t)slot->answer};
}

/* A thread Python does not know works for the one that made it: its time goes to the line that one
 * was last seen on, or else the main thread. */
static struct charge charge_of_creator(const struct process *process, const struct thread *thread)
{
    for (int i = 0; thread && i < CREATORS_MAX; i++) {
        thread = thread->creator_tid ? process_thread(process, thread->creator_tid) : NULL;
        if (thread && thread->last_frame)
            return (struct charge){thread->last_frame, thread->last_stack};
    }
    thread = process_main_thread(process);
    return thread ? (struct charge){thread->last_frame, thread->last_stack} : (struct charge){0, 0};
}

static void add_stack_costs(const struct ledger *ledger, double *costs)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (ledger->items[i].account.frame)
            costs[ledger->items[i].account.stack] += ledger->items[i].cpu_ns;
}

static void move_thread_stacks(struct thread *thread, const uint32_t *new_ids)
{
    ledger_move_stacks(&thread->ledger, new_ids);
    if (thread->last_frame)
        thread->last_stack = new_ids[thread->last_stack];
}

/* Merges stacks down to `limit`; whoever holds numbers of stacks gets the new ones. */
static void merge_stacks(struct profile *profile, size_t limit)
{
    size_t n = profile->stacks.n;
    double *costs = xrealloc(NULL, n * sizeof *costs);
    uint32_t *new_ids = xrealloc(NULL, n * sizeof *new_ids);
    memset(costs, 0, n * sizeof *costs);
    add_stack_costs(&profile->ledger, costs);
    for (size_t p = 0; p < profile->processes.n; p++)
        for (size_t t = 0; t < profile->processes.items[p]->threads.n; t++)
            add_stack_costs(&profile->processes.items[p]->threads.items[t].ledger, costs);
    stacks_merge(&profile->stacks, costs, limit, new_ids);
    ledger_move_stacks(&profile->ledger, new_ids);
    for (size_t p = 0; p < profile->processes.n; p++)
        for (size_t t = 0; t < profile->processes.items[p]->threads.n; t++)
            move_thread_stacks(&profile->processes.items[p]->threads.items[t], new_ids);
    memo_clear(&profile->stack_memo);
    free(new_ids);
    free(costs);
}

/* The account of a sample of a thread with Python frames; its instruction is counted. */
static struct account python_account(struct profile *profile, struct process *process,
                                     const struct record_sample *sample,
                                     const struct record_frame *frames, const uint64_t *pcs)
{
    bool is_cut = sample->head.flags & SAMPLE_FRAMES_CUT;
    struct charge charge = find_charge(profile, process, frames, sample->n_frames, is_cut);
    enum verdict verdict = judge_python_thread(&process->judge, sample, pcs);
    struct account account = {charge.frame, charge.stack, 0, verdict};
    struct code *code = codes_find(&process->codes, frames[0].code);
    if (code) {
        bool is_helper = verdict == VERDICT_HELPER;
        uint32_t operation =
            operations_count(&profile->operations, code, frames[0].instr, is_helper);
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
        if (account.frame) {
            thread->last_frame = account.frame;
            thread->last_stack = account.stack;
        }
        return account;
    }
    struct charge charge = {0, 0};
    if (sample->head.flags & SAMPLE_NO_THREAD_STATE)
        charge = charge_of_creator(process, thread);
    enum verdict verdict = judge_native_thread(&process->judge, sample, pcs);
    return (struct account){charge.frame, charge.stack, 0, verdict};
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
        thread = process_new_thread(process, sample->tid, sample->cpu_ns);
    uint64_t weight_ns = thread_advance(thread, sample->cpu_ns);
    struct account account = account_of(profile, process, thread, sample, frames, pcs);
    ledger_add(&thread->ledger, &account, (double)weight_ns, 1);
    thread->n_samples++;
    process->n_samples++;
    profile->n_samples++;
    process_saw_time(process, sample->time_ns);
    if (account.frame)
        places_seen(&profile->places, account.frame, sample->time_ns);
    /* Rarely: four times as many as will be in the result become twice as many. */
    if (profile->stacks.n > 4 * profile->input.max_stacks)
        merge_stacks(profile, 2 * profile->input.max_stacks);
    return true;
}

void sample_end_thread(struct profile *profile, struct process *process, struct thread *thread)
{
    process->outside_ns += thread_settle(thread, &profile->ledger);
    ledger_fini(&thread->ledger);
    thread->is_over = true;
}
