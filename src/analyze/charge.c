/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/charge.h"

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
struct charge charge_into(struct profile *profile, struct stacks *stacks,
                          const struct process *process, const struct record_frame *frames,
                          size_t n, bool is_cut)
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
            stacks_add(stacks, stack.items, (uint32_t)stack.n, is_cut ? STACK_IS_CUT : 0);
    }
    vec_fini(&stack);
    return charge;
}

struct charge charge_find(struct profile *profile, const struct process *process,
                          const struct record_frame *frames, size_t n, bool is_cut)
{
    const uint64_t about[] = {process->judge.process, is_cut};
    uint64_t hash = memo_hash(memo_hash(0, about, 2), frames, n);
    struct memo_slot *slot = memo_slot(&profile->stack_memo, hash);
    if (slot->hash != hash) {
        struct charge charge = charge_into(profile, &profile->stacks, process, frames, n, is_cut);
        *slot = (struct memo_slot){hash, (uint64_t)charge.frame << 32 | charge.stack};
    }
    return (struct charge){(uint32_t)(slot->answer >> 32), (uint32_t)slot->answer};
}

struct charge charge_last(const struct thread *thread)
{
    return (struct charge){thread->last_frame, thread->last_stack};
}

/* ---- too many stacks ---- */

static void add_stack_costs(const struct ledger *ledger, double *costs)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (ledger->items[i].account.frame)
            costs[ledger->items[i].account.stack] += ledger->items[i].time_ns;
}

static void add_pooled_costs(const struct profile *profile, double *costs)
{
    struct ledger pooled = {0};
    for (size_t p = 0; p < profile->processes.n; p++)
        pools_settle(&profile->processes.items[p]->pools, &pooled);
    add_stack_costs(&pooled, costs);
    ledger_fini(&pooled);
}

static void move_thread_stacks(struct thread *thread, const uint32_t *new_ids)
{
    ledger_move_stacks(&thread->ledger, new_ids);
    if (thread->last_frame)
        thread->last_stack = new_ids[thread->last_stack];
    inside_move_stacks(&thread->inside, new_ids);
}

/* Merges stacks down to `limit`; whoever holds numbers of stacks gets the new ones. */
static void merge_stacks(struct profile *profile, size_t limit)
{
    size_t n = profile->stacks.n;
    double *costs = xrealloc(NULL, n * sizeof *costs);
    uint32_t *new_ids = xrealloc(NULL, n * sizeof *new_ids);
    memset(costs, 0, n * sizeof *costs);
    add_stack_costs(&profile->ledger, costs);
    add_stack_costs(&profile->idle, costs);
    for (size_t p = 0; p < profile->processes.n; p++)
        for (size_t t = 0; t < profile->processes.items[p]->threads.n; t++)
            add_stack_costs(&profile->processes.items[p]->threads.items[t].ledger, costs);
    add_pooled_costs(profile, costs);
    stacks_merge(&profile->stacks, costs, limit, new_ids);
    ledger_move_stacks(&profile->ledger, new_ids);
    ledger_move_stacks(&profile->idle, new_ids);
    for (size_t p = 0; p < profile->processes.n; p++)
        pools_move_stacks(&profile->processes.items[p]->pools, new_ids);
    for (size_t p = 0; p < profile->processes.n; p++)
        for (size_t t = 0; t < profile->processes.items[p]->threads.n; t++)
            move_thread_stacks(&profile->processes.items[p]->threads.items[t], new_ids);
    memo_clear(&profile->stack_memo);
    free(new_ids);
    free(costs);
}

/* Rarely: four times as many as will be in the result become twice as many. */
void charge_limit_stacks(struct profile *profile)
{
    if (profile->stacks.n > 4 * profile->input.max_stacks)
        merge_stacks(profile, 2 * profile->input.max_stacks);
}
