/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory.h"

#include "analyze/charge.h"
#include "analyze/process.h"

#include <math.h>

#define LARGEST_BLOCK (UINT64_C(1) << 47) /* of user memory; a larger size is nonsense */
#define AT_ONCE_NS    1000000u
#define PEAK_STEP     1.001 /* a new peak is noted when it is so much larger than the last */

/* ---- sites ---- */

static struct site *line_site(struct memory *memory, uint32_t line)
{
    while (memory->lines.n <= line)
        vec_push(&memory->lines);
    struct site *site = &memory->lines.items[line];
    if (!site->timeline) {
        site->timeline = xrealloc(NULL, sizeof *site->timeline);
        *site->timeline = (struct timeline){0};
    }
    return site;
}

static struct site *function_site(struct memory *memory, uint32_t function)
{
    while (memory->functions.n <= function)
        vec_push(&memory->functions);
    return &memory->functions.items[function];
}

#define SITES 3

/* Everything that is charged for a frame: the whole, and its line and function or the outside.
 * Returns how many. */
static size_t sites_of(struct profile *profile, uint32_t frame, struct site *sites[SITES])
{
    struct memory *memory = &profile->memory;
    sites[0] = &memory->total;
    if (!memory->total.timeline) {
        memory->total.timeline = xrealloc(NULL, sizeof *memory->total.timeline);
        *memory->total.timeline = (struct timeline){0};
    }
    if (frame == PLACES_NO_FRAME) {
        sites[1] = &memory->outside;
        return 2;
    }
    struct frame place = profile->places.frames.items[frame];
    sites[1] = line_site(memory, place.line);
    sites[2] = function_site(memory, place.function);
    return 3;
}

static uint64_t since_start(struct memory *memory, const struct profile *profile, uint64_t time_ns)
{
    memory->start_ns = profile->processes.items[0]->record.time_ns;
    if (time_ns > memory->last_ns)
        memory->last_ns = time_ns;
    return time_ns > memory->start_ns ? time_ns - memory->start_ns : 0;
}

/* Live bytes change; the unsigned sum of all changes of a block is nothing. */
static void move(struct site *site, uint64_t now_ns, uint64_t bytes, double variance)
{
    if (now_ns > site->moved_ns) {
        site->area += (double)site->live * (double)(now_ns - site->moved_ns);
        site->moved_ns = now_ns;
    }
    site->live += bytes;
    site->live_variance = fmax(0, site->live_variance + variance);
    if (site->live > site->largest)
        site->largest = site->live;
    if (site->timeline)
        timeline_add(site->timeline, now_ns, site->live);
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
    memory->outside.at_peak = memory->outside.live;
    memory->total.at_peak = memory->total.live;
}

/* ---- blocks come and go ---- */

static void come(struct profile *profile, const struct block *block, uint64_t time_ns)
{
    struct memory *memory = &profile->memory;
    uint64_t now_ns = since_start(memory, profile, time_ns);
    struct site *sites[SITES];
    size_t n = sites_of(profile, block->frame, sites);
    for (size_t i = 0; i < n; i++)
        move(sites[i], now_ns, block->bytes, block->variance);
    memory->python_live += block->is_python ? block->bytes : 0;
    memory->rise = (struct memory_peak){memory->total.live, memory->python_live, now_ns,
                                        memory->total.live_variance, block->frame};
}

static void go(struct profile *profile, const struct block *block, uint64_t time_ns)
{
    struct memory *memory = &profile->memory;
    uint64_t now_ns = since_start(memory, profile, time_ns);
    struct site *sites[SITES];
    memory_note_peak(memory);
    size_t n = sites_of(profile, block->frame, sites);
    for (size_t i = 0; i < n; i++)
        move(sites[i], now_ns, -block->bytes, -block->variance);
    memory->python_live -= block->is_python ? block->bytes : 0;
}

/* Counts how long a block lived; `sign` -1 takes that back. */
static void count_life(struct profile *profile, const struct block *block, uint64_t time_ns,
                       double sign)
{
    uint64_t age_ns = time_ns > block->time_ns ? time_ns - block->time_ns : 0;
    struct site *sites[SITES];
    size_t n = sites_of(profile, block->frame, sites);
    for (size_t i = 0; i < n; i++) {
        double *class = age_ns < AT_ONCE_NS ? &sites[i]->at_once : &sites[i]->freed;
        *class = fmax(0, *class + sign * (double)block->bytes);
    }
}

static void end_block(struct profile *profile, struct process *process, const struct block *block,
                      uint64_t time_ns)
{
    go(profile, block, time_ns);
    if (process->heap.is_ended)
        return;
    count_life(profile, block, time_ns, 1);
    if (block->frame != PLACES_NO_FRAME)
        heap_aged(&process->heap, profile->places.frames.items[block->frame].line,
                  time_ns > block->time_ns ? time_ns - block->time_ns : 0);
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
    if (record->id == 0 || record->id > HEAP_STACK_MAX ||
        (uint64_t)record->n_frames * sizeof *frames > record->head.size - sizeof *record)
        return false;
    struct charge charge = charge_into(profile, &memory->stacks, process, frames, record->n_frames,
                                       record->head.flags & SAMPLE_FRAMES_CUT);
    while (memory->stack_bytes.n < memory->stacks.n)
        vec_push(&memory->stack_bytes);
    while (process->heap.stacks.n <= record->id)
        vec_push(&process->heap.stacks);
    process->heap.stacks.items[record->id] = (struct heap_stack){charge.frame, charge.stack};
    limit_stacks(profile);
    return true;
}

/* The chance that an allocation was sampled. */
static double chance_of(const struct record_alloc *record)
{
    if (record->head.flags & ALLOC_IS_EXACT || record->mean == 0 || record->size == 0)
        return 1;
    return -expm1(-(double)record->size / (double)record->mean);
}

static void count_volume(struct profile *profile, const struct record_alloc *record, double chance,
                         struct heap_stack stack)
{
    double grown = record->size > record->old_size ? (double)(record->size - record->old_size) : 0;
    double bytes = grown / chance;
    struct site *sites[SITES];
    size_t n = sites_of(profile, stack.frame, sites);
    for (size_t i = 0; i < n; i++) {
        sites[i]->n_samples++;
        if (record->domain == MEMORY_COPIED) {
            sites[i]->copied += (double)record->size / chance;
            continue;
        }
        sites[i]->allocated += bytes;
        sites[i]->variance += bytes * bytes * (1 - chance);
        sites[i]->n_allocations += 1 / chance;
        sites[i]->python += record->domain == MEMORY_PYTHON ? bytes : 0;
    }
    if (record->domain != MEMORY_COPIED && stack.frame)
        profile->memory.stack_bytes.items[stack.stack] += bytes;
}

static void note_mean(struct memory *memory, uint64_t mean)
{
    if (mean && (memory->least_mean == 0 || mean < memory->least_mean))
        memory->least_mean = mean;
    if (mean > memory->most_mean)
        memory->most_mean = mean;
}

/* A realloc failed after its block was recorded as given back. */
static bool restore(struct profile *profile, struct process *process,
                    const struct record_alloc *record)
{
    struct block block, old;
    if (!heap_restore(&process->heap, record->address, &block))
        return true; /* of the parent of a fork */
    if (!process->heap.is_ended)
        count_life(profile, &block, record->time_ns, -1);
    come(profile, &block, record->time_ns);
    if (heap_add(&process->heap, &block, &old))
        go(profile, &old, record->time_ns);
    return true;
}

static void add_block(struct profile *profile, struct process *process,
                      const struct record_alloc *record, double chance, uint32_t frame)
{
    double bytes = (double)record->size / chance;
    struct block old, block = {.address = record->address,
                               .time_ns = record->time_ns,
                               .bytes = (uint64_t)llround(bytes),
                               .variance = bytes * bytes * (1 - chance),
                               .frame = frame,
                               .is_python = record->domain == MEMORY_PYTHON};
    bool had_old = heap_add(&process->heap, &block, &old);
    if (had_old)
        end_block(profile, process, &old, record->time_ns);
    come(profile, &block, record->time_ns);
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
    double chance = chance_of(record);
    struct heap_stack stack = {0};
    if (record->stack < process->heap.stacks.n)
        stack = process->heap.stacks.items[record->stack];
    count_volume(profile, record, chance, stack);
    if (is_copy) {
        profile->memory.n_copies++;
        return true;
    }
    note_mean(&profile->memory, record->mean);
    if (!process->is_over)
        add_block(profile, process, record, chance, stack.frame);
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
        end_block(profile, process, &block, record->time_ns);
    return true;
}

bool memory_add_resident(struct profile *profile, struct process *process,
                         const struct record_resident *record)
{
    struct memory *memory = &profile->memory;
    if (record->rss_bytes > LARGEST_BLOCK)
        return false;
    if (process->is_over)
        return true;
    memory->resident_bytes += record->rss_bytes - process->resident_bytes;
    process->resident_bytes = record->rss_bytes;
    timeline_add(&memory->resident, since_start(memory, profile, record->time_ns),
                 memory->resident_bytes);
    return true;
}

void memory_add_end(struct profile *profile, struct process *process, uint64_t end_ns,
                    bool is_ended)
{
    struct memory *memory = &profile->memory;
    struct heap *heap = &process->heap;
    struct site *sites[SITES];
    for (size_t i = 0; i < heap->room; i++) {
        const struct block *block = &heap->slots[i];
        size_t n = block->address ? sites_of(profile, block->frame, sites) : 0;
        for (size_t k = 0; k < n; k++) {
            struct site_end *end = is_ended ? &sites[k]->ended : &sites[k]->end;
            end->bytes += block->bytes;
            end->variance += block->variance;
        }
    }
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
    struct memory *memory = &profile->memory;
    struct heap *heap = &process->heap;
    uint64_t gone_ns = gone_at(profile, process);
    if (!heap->is_ended)
        memory_add_end(profile, process, process->last_time_ns, true);
    for (size_t i = 0; i < heap->room; i++)
        if (heap->slots[i].address)
            go(profile, &heap->slots[i], gone_ns);
    heap_fini(heap);
    if (process->resident_bytes) {
        memory->resident_bytes -= process->resident_bytes;
        process->resident_bytes = 0;
        timeline_add(&memory->resident, since_start(memory, profile, gone_ns),
                     memory->resident_bytes);
    }
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
