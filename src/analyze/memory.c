/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory.h"

#include "analyze/charge.h"
#include "analyze/process.h"
#include "analyze/rows.h"

#include <math.h>

#define LARGEST_BLOCK (UINT64_C(1) << 47) /* of user memory; a larger size is nonsense */
#define AT_ONCE_NS    1000000u
#define PEAK_STEP     1.001 /* a new peak is noted when it is so much larger than the last */

static uint64_t since_start(struct memory *memory, const struct profile *profile, uint64_t time_ns)
{
    memory->start_ns = profile->processes.items[0]->record.time_ns;
    if (time_ns > memory->last_ns)
        memory->last_ns = time_ns;
    return time_ns > memory->start_ns ? time_ns - memory->start_ns : 0;
}

/* ---- the peak ---- */

void memory_note_peak(struct memory *memory)
{
    if ((double)memory->total.live <= PEAK_STEP * (double)memory->peak.bytes)
        return;
    memory->peak = memory->rise;
    for (size_t i = 0; i < memory->lines.n; i++)
        memory->lines.items[i].at_peak = memory->lines.items[i].live;
    for (size_t i = 0; i < memory->functions.n; i++)
        memory->functions.items[i].at_peak = memory->functions.items[i].live;
    for (size_t i = 0; i < PROFILE_OUTSIDES; i++)
        memory->outside[i].at_peak = memory->outside[i].live;
    memory->total.at_peak = memory->total.live;
}

/* ---- blocks come and go ---- */

static void come(struct profile *profile, struct process *process, const struct block *block,
                 uint64_t time_ns)
{
    struct memory *memory = &profile->memory;
    uint64_t now_ns = since_start(memory, profile, time_ns);
    struct site_list sites = sites_of(profile, block->frame, block->outside);
    for (size_t i = 0; i < sites.n; i++)
        site_move(sites.items[i], now_ns, block->bytes, rows_block_variance(block, i));
    memory->python_live += block->is_python ? block->bytes : 0;
    memory->rise = (struct memory_peak){memory->total.live, memory->python_live, now_ns,
                                        memory->total.live_variance, block->frame};
    process->memory.live += block->bytes;
    if (process->memory.live > process->memory.largest) {
        process->memory.largest = process->memory.live;
        process->memory.largest_ns = now_ns;
    }
}

/* The block before it in its row is gone: what is live is less sure. */
static void leave_alone(struct profile *profile, struct block *block, uint64_t now_ns)
{
    if (!block)
        return;
    struct site_list sites = sites_of(profile, block->frame, block->outside);
    for (size_t i = 0; i < sites.n; i++)
        site_move(sites.items[i], now_ns, 0, block->variance - rows_block_variance(block, i));
    block->bonds = 0;
}

static void go(struct profile *profile, struct process *process, const struct block *block,
               uint64_t time_ns)
{
    struct memory *memory = &profile->memory;
    uint64_t now_ns = since_start(memory, profile, time_ns);
    memory_note_peak(memory);
    struct site_list sites = sites_of(profile, block->frame, block->outside);
    for (size_t i = 0; i < sites.n; i++)
        site_move(sites.items[i], now_ns, -block->bytes, -rows_block_variance(block, i));
    memory->python_live -= block->is_python ? block->bytes : 0;
    process->memory.live -= block->bytes;
    leave_alone(profile, rows_next(&process->heap, block), now_ns);
}

static bool is_on_line(const struct profile *profile, uint32_t frame, uint32_t line)
{
    return frame != PLACES_NO_FRAME && profile->places.frames.items[frame].line == line;
}

/* How a block lived that goes now; `frame`: where it is given back. */
static enum profile_life life_of(const struct profile *profile, const struct block *block,
                                 uint64_t time_ns, uint32_t frame)
{
    if (time_ns < block->time_ns + AT_ONCE_NS)
        return LIFE_AT_ONCE;
    bool is_same = block->frame != PLACES_NO_FRAME &&
                   is_on_line(profile, frame, profile->places.frames.items[block->frame].line);
    return is_same ? LIFE_SAME_LINE : LIFE_LONGER;
}

/* Counts how a block lived; `sign` -1 takes that back. */
static void count_life(struct profile *profile, const struct block *block, enum profile_life life,
                       double sign)
{
    struct site_list sites = sites_of(profile, block->frame, block->outside);
    for (size_t i = 0; i < sites.n; i++) {
        double *bytes = &sites.items[i]->lives[life];
        *bytes = fmax(0, *bytes + sign * (double)block->bytes);
    }
}

static void end_block(struct profile *profile, struct process *process, const struct block *block,
                      uint64_t time_ns, uint32_t frame)
{
    go(profile, process, block, time_ns);
    if (process->heap.is_ended)
        return;
    count_life(profile, block, life_of(profile, block, time_ns, frame), 1);
    if (block->frame != PLACES_NO_FRAME)
        heap_aged(&process->heap, profile->places.frames.items[block->frame].line,
                  time_ns > block->time_ns ? time_ns - block->time_ns : 0, heap_weight(block));
}

/* ---- records ---- */

/* Time goes on in a process, before the record that says so does anything. */
static void saw_time(struct profile *profile, struct process *process, uint64_t time_ns)
{
    process_saw_time(process, time_ns);
    if (!process->heap.is_ended)
        leak_look(&process->heap, &profile->places, process->record.time_ns, time_ns,
                  profile->memory.lines.n);
}

/* Merges stacks as charge_limit_stacks() does those of time. */
static void limit_stacks(struct profile *profile)
{
    struct memory *memory = &profile->memory;
    size_t n = memory->stacks.n;
    if (n <= 4 * profile->input.max_stacks)
        return;
    uint32_t *new_ids = xrealloc(NULL, n * sizeof *new_ids);
    double *bytes = memory->stack_bytes.items;
    stacks_merge(&memory->stacks, bytes, 2 * profile->input.max_stacks, new_ids);
    double *sums = xrealloc(NULL, n * sizeof *sums);
    memset(sums, 0, n * sizeof *sums);
    for (size_t i = 0; i < n; i++)
        sums[new_ids[i]] += bytes[i];
    memcpy(bytes, sums, memory->stacks.n * sizeof *bytes);
    memory->stack_bytes.n = memory->stacks.n;
    for (size_t p = 0; p < profile->processes.n; p++) {
        struct heap *heap = &profile->processes.items[p]->heap;
        for (size_t i = 0; i < heap->stacks.n; i++)
            if (heap->stacks.items[i].frame)
                heap->stacks.items[i].stack = new_ids[heap->stacks.items[i].stack];
    }
    free(sums);
    free(new_ids);
}

bool memory_add_stack(struct profile *profile, struct process *process,
                      const struct record_stack *record)
{
    struct memory *memory = &profile->memory;
    const struct record_frame *frames = (const struct record_frame *)(record + 1);
    if (record->id == 0 ||
        (uint64_t)record->n_frames * sizeof *frames > record->head.size - sizeof *record)
        return false;
    struct charge charge = charge_into(profile, &memory->stacks, process, frames, record->n_frames,
                                       record->head.flags & SAMPLE_FRAMES_CUT);
    while (memory->stack_bytes.n < memory->stacks.n)
        vec_push(&memory->stack_bytes);
    heap_add_stack(&process->heap, &(struct heap_stack){charge.frame, charge.stack, record->id});
    limit_stacks(profile);
    return true;
}

/* The chance that an allocation was sampled. */
static double chance_of(const struct record_alloc *record)
{
    if (record->head.flags & ALLOC_IS_EXACT || record->mean == 0 || record->size == 0)
        return 1;
    double x = (double)record->size / (double)record->mean, y = x > 0.5 ? x - 0.5 : 0;
    return x < 1.5 ? x - y * y / 2
                   : 1; /* an honest agent calls what is larger than the mean exact */
}

/* A sampled allocation or copy, and what is known of it. */
struct arrival {
    const struct record_alloc *record;
    double chance; /* to be sampled */
    struct heap_stack stack;
    uint16_t outside;
    struct row *row; /* NULL: it is exact, or a copy */
    unsigned bonds;  /* with the one before in its row: enum row_bond */
};

static void count_volume(struct profile *profile, struct process *process,
                         const struct arrival *arrival)
{
    const struct record_alloc *record = arrival->record;
    double grown = record->size > record->old_size ? (double)(record->size - record->old_size) : 0;
    struct site_list sites = sites_of(profile, arrival->stack.frame, arrival->outside);
    for (size_t i = 0; i < sites.n; i++)
        site_count(sites.items[i], record, arrival->chance, !(arrival->bonds >> i & 1));
    if (record->domain == MEMORY_COPIED)
        return;
    process->memory.allocated += grown / arrival->chance;
    if (arrival->stack.frame)
        profile->memory.stack_bytes.items[arrival->stack.stack] += grown / arrival->chance;
}

static void note_mean(struct memory *memory, const struct record_alloc *record, double chance)
{
    uint64_t mean = record->mean;
    if (mean && (memory->least_mean == 0 || mean < memory->least_mean))
        memory->least_mean = mean;
    if (mean > memory->most_mean)
        memory->most_mean = mean;
    if (chance < 1) {
        memory->n_chosen++;
        memory->chosen_bytes += (double)record->size / chance;
    }
}

/* Where an allocation belongs that is on no line. */
static uint16_t outside_of(const struct process *process, const struct record_alloc *record)
{
    if (process->heap.is_ended)
        return OUTSIDE_EXIT;
    if (record->stack)
        return OUTSIDE_LIBRARY;
    return record->tid == process->record.pid ? OUTSIDE_START_UP : OUTSIDE_THREADS;
}

/* A realloc failed after its block was recorded as given back. What its life was counted as then
 * is what it would be now: the records stand one behind the other. */
static bool restore(struct profile *profile, struct process *process,
                    const struct record_alloc *record)
{
    struct block block, old;
    if (!heap_restore(&process->heap, record->address, &block))
        return true; /* of the parent of a fork */
    block.bonds = 0;
    block.before = 0;
    uint32_t frame = heap_stack_of(&process->heap, record->stack).frame;
    if (!process->heap.is_ended)
        count_life(profile, &block, life_of(profile, &block, record->time_ns, frame), -1);
    come(profile, process, &block, record->time_ns);
    if (heap_add(&process->heap, &block, &old))
        go(profile, process, &old, record->time_ns);
    return true;
}

static void add_block(struct profile *profile, struct process *process,
                      const struct arrival *arrival)
{
    const struct record_alloc *record = arrival->record;
    struct heap *heap = &process->heap;
    struct row *row = arrival->row;
    double bytes = (double)record->size / arrival->chance;
    struct block old, block = {.address = record->address,
                               .time_ns = record->time_ns,
                               .bytes = (uint64_t)llround(bytes),
                               .variance = rows_variance(bytes, arrival->chance, true),
                               .frame = arrival->stack.frame,
                               .is_python = record->domain == MEMORY_PYTHON,
                               .outside = arrival->outside};
    if (row)
        block.serial = ++heap->last_serial;
    if (arrival->bonds && row->address != block.address && rows_is_live(row, heap)) {
        block.bonds = (uint8_t)arrival->bonds;
        block.before = row->serial;
    }
    bool had_old = heap_add(heap, &block, &old);
    if (row)
        rows_add(row, heap, record, &block);
    if (had_old)
        end_block(profile, process, &old, record->time_ns, PLACES_NO_FRAME);
    come(profile, process, &block, record->time_ns);
}

static struct arrival arrival_of(struct profile *profile, struct process *process,
                                 const struct record_alloc *record)
{
    struct arrival arrival = {.record = record,
                              .chance = chance_of(record),
                              .stack = heap_stack_of(&process->heap, record->stack),
                              .outside = outside_of(process, record)};
    if (arrival.chance < 1 && record->domain != MEMORY_COPIED && !process->is_over) {
        arrival.row = rows_of(&process->heap, record);
        arrival.bonds =
            rows_bonds(arrival.row, &profile->places, record, arrival.stack.frame, arrival.outside);
    }
    return arrival;
}

bool memory_add_alloc(struct profile *profile, struct process *process,
                      const struct record_alloc *record)
{
    bool is_copy = record->domain == MEMORY_COPIED;
    if (record->domain >= MEMORY_DOMAINS || record->size > LARGEST_BLOCK ||
        is_copy != (record->address == 0))
        return false;
    profile->memory.is_measured = true;
    saw_time(profile, process, record->time_ns);
    if (record->head.flags & ALLOC_IS_RESTORED)
        return restore(profile, process, record);
    struct arrival arrival = arrival_of(profile, process, record);
    count_volume(profile, process, &arrival);
    if (is_copy) {
        profile->memory.n_copies++;
        return true;
    }
    note_mean(&profile->memory, record, arrival.chance);
    if (!process->is_over)
        add_block(profile, process, &arrival);
    return true;
}

/* Blocks that are not known are those of the parent of a fork. */
bool memory_add_free(struct profile *profile, struct process *process,
                     const struct record_free *record)
{
    struct block block;
    if (record->head.flags & FREE_AT_EXIT && !process->heap.is_ended)
        memory_add_end(profile, process, record->time_ns, true);
    saw_time(profile, process, record->time_ns);
    if (heap_remove(&process->heap, record->address, &block))
        end_block(profile, process, &block, record->time_ns,
                  heap_stack_of(&process->heap, record->stack).frame);
    return true;
}

/* What one process occupies now, in the sum of all. */
static void occupy(struct profile *profile, struct process *process, uint64_t rss, uint64_t pss,
                   uint64_t time_ns)
{
    struct memory *memory = &profile->memory;
    struct heap_sums *sums = &process->memory;
    uint64_t now_ns = since_start(memory, profile, time_ns);
    memory->rss += rss - sums->rss;
    memory->pss += pss - sums->pss;
    timeline_add(&memory->resident, now_ns, memory->rss);
    if (pss != sums->pss)
        timeline_add(&memory->shared, now_ns, memory->pss);
    sums->rss = rss;
    sums->pss = pss;
    sums->largest_rss = rss > sums->largest_rss ? rss : sums->largest_rss;
    sums->largest_pss = pss > sums->largest_pss ? pss : sums->largest_pss;
}

bool memory_add_resident(struct profile *profile, struct process *process,
                         const struct record_resident *record)
{
    if (record->rss_bytes > LARGEST_BLOCK || record->pss_bytes > LARGEST_BLOCK)
        return false;
    struct heap_sums *sums = &process->memory;
    uint64_t rss = record->rss_bytes, pss = record->pss_bytes;
    if (pss)
        sums->shared = rss > pss ? rss - pss : 0;
    else if (sums->pss) /* what is shared changes slowly, and is asked for rarely */
        pss = rss > sums->shared ? rss - sums->shared : rss;
    if (!process->is_over)
        occupy(profile, process, rss, pss, record->time_ns);
    return true;
}

/* What is live in a process now is what it leaves. */
static void add_left(struct profile *profile, struct process *process, bool is_ended)
{
    const struct heap *heap = &process->heap;
    process->memory.left = process->memory.live;
    for (size_t i = 0; i < heap->room; i++) {
        const struct block *block = &heap->slots[i];
        struct site_list sites = {0};
        if (block->address)
            sites = sites_of(profile, block->frame, block->outside);
        for (size_t k = 0; k < sites.n; k++) {
            struct site_end *end = is_ended ? &sites.items[k]->ended : &sites.items[k]->end;
            end->bytes += block->bytes;
            end->variance += rows_block_variance(block, k);
        }
    }
}

void memory_add_end(struct profile *profile, struct process *process, uint64_t end_ns,
                    bool is_ended)
{
    struct memory *memory = &profile->memory;
    struct heap *heap = &process->heap;
    add_left(profile, process, is_ended);
    struct leak *leaks = xrealloc(NULL, (memory->lines.n + 1) * sizeof *leaks);
    memset(leaks, 0, (memory->lines.n + 1) * sizeof *leaks);
    leak_judge(heap, &profile->places, process->record.time_ns, end_ns, leaks, memory->lines.n);
    for (size_t i = 0; i < memory->lines.n; i++) {
        struct site *site = &memory->lines.items[i];
        leak_join(is_ended ? &site->ended.leak : &site->end.leak, &leaks[i]);
    }
    free(leaks);
    heap->is_ended |= is_ended;
}

/* When the memory of a process that is over went away. Its end is known only later, but comes in
 * the order of time among the records of the others, if there are any. */
static uint64_t gone_at(const struct profile *profile, const struct process *process)
{
    for (size_t i = 0; i < profile->processes.n; i++)
        if (!profile->processes.items[i]->is_over)
            return profile->memory.last_ns;
    return process->last_time_ns;
}

void memory_end_process(struct profile *profile, struct process *process)
{
    struct heap *heap = &process->heap;
    struct heap_sums *sums = &process->memory;
    uint64_t most = process->counters[COUNTER_RESIDENT_PEAK]; /* between two looks, too */
    if (most > sums->largest_rss && most < LARGEST_BLOCK)
        sums->largest_rss = most;
    uint64_t gone_ns = gone_at(profile, process);
    if (!heap->is_ended)
        memory_add_end(profile, process, process->last_time_ns, true);
    for (size_t i = 0; i < heap->room; i++)
        if (heap->slots[i].address)
            go(profile, process, &heap->slots[i], gone_ns);
    heap_fini(heap);
    if (process->memory.rss)
        occupy(profile, process, 0, 0, gone_ns);
}

void memory_fini(struct memory *memory)
{
    for (size_t i = 0; i < memory->lines.n; i++)
        free(memory->lines.items[i].timeline);
    free(memory->total.timeline);
    vec_fini(&memory->lines);
    vec_fini(&memory->functions);
    vec_fini(&memory->stack_bytes);
    stacks_fini(&memory->stacks);
}
