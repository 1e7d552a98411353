/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as part of the result: estimates with their errors, the peak, stacks by what they
 * allocated. */
#include "analyze/state.h"

#include <math.h>

#define NS 1e-9

void memory_settle(struct profile *profile)
{
    struct memory *memory = &profile->memory;
    for (size_t i = 0; i < memory->lines.n; i++)
        memory->lines.items[i].end = memory->lines.items[i].ended;
    for (size_t i = 0; i < memory->functions.n; i++)
        memory->functions.items[i].end = memory->functions.items[i].ended;
    memory->total.end = memory->total.ended;
    for (size_t i = 0; i < PROFILE_OUTSIDES; i++)
        memory->outside[i].end = memory->outside[i].ended;
    memory_note_peak(memory);
    for (size_t i = 0; i < profile->processes.n; i++)
        if (!profile->processes.items[i]->heap.is_ended)
            memory_add_end(profile, profile->processes.items[i],
                           profile->processes.items[i]->last_time_ns, false);
}

static struct profile_memory made_of(const struct memory *memory, const struct site *site)
{
    uint64_t run_ns = memory->last_ns > memory->start_ns ? memory->last_ns - memory->start_ns : 0;
    double area = site->area;
    if (run_ns > site->moved_ns)
        area += (double)site->live * (double)(run_ns - site->moved_ns);
    struct profile_memory made = {
        .allocated = site->allocated,
        .allocated_error = sqrt(site->variance),
        .n_allocations = site->n_allocations,
        .python = site->python,
        .live = (double)site->end.bytes,
        .live_error = sqrt(site->end.variance),
        .at_peak = (double)site->at_peak,
        .largest = (double)site->largest,
        .average = run_ns ? fmin((double)site->largest, area / (double)run_ns) : 0,
        .copied = site->copied,
        .n_samples = site->n_samples,
        .leak_likelihood = site->end.leak.likelihood,
        .leak_s = site->end.leak.likelihood > 0 ? site->end.leak.bytes_s : 0,
        .leak_s_error = site->end.leak.likelihood > 0 ? sqrt(site->end.leak.variance) : 0,
    };
    memcpy(made.lives, site->lives, sizeof made.lives);
    return made;
}

/* What parts of the whole have in common; what was largest, when, is not among it. */
static void add_part(struct profile_memory *sum, const struct profile_memory *part)
{
    sum->allocated += part->allocated;
    sum->allocated_error = hypot(sum->allocated_error, part->allocated_error);
    sum->n_allocations += part->n_allocations;
    sum->python += part->python;
    sum->live += part->live;
    sum->live_error = hypot(sum->live_error, part->live_error);
    sum->at_peak += part->at_peak;
    sum->copied += part->copied;
    sum->n_samples += part->n_samples;
}

struct profile_process_memory memory_process(const struct process *process)
{
    const struct heap_sums *sums = &process->memory;
    return (struct profile_process_memory){.allocated = sums->allocated,
                                           .live = (double)sums->left,
                                           .peak = (double)sums->largest,
                                           .peak_time_s = (double)sums->largest_ns * NS,
                                           .resident = (double)sums->largest_rss,
                                           .shared = (double)sums->largest_pss};
}

/* Up to the end of the run, where the value is what it was last. */
static struct profile_point *points_of(const struct memory *memory, const struct timeline *timeline,
                                       struct arena *arena, size_t *n)
{
    struct timeline_point points[TIMELINE_POINTS + 1];
    *n = timeline ? timeline_points(timeline, points) : 0;
    if (*n && memory->last_ns > memory->start_ns + points[*n - 1].time_ns)
        points[(*n)++] =
            (struct timeline_point){memory->last_ns - memory->start_ns, timeline->last};
    struct profile_point *made = arena_alloc(arena, *n * sizeof *made);
    for (size_t i = 0; i < *n; i++)
        made[i] = (struct profile_point){(double)points[i].time_ns * NS, (double)points[i].value};
    return made;
}

struct profile_memory memory_line(const struct profile *profile, struct arena *arena, size_t line)
{
    const struct memory *memory = &profile->memory;
    if (line >= memory->lines.n || memory->lines.items[line].n_samples == 0)
        return (struct profile_memory){0};
    struct profile_memory made = made_of(memory, &memory->lines.items[line]);
    made.points = points_of(memory, memory->lines.items[line].timeline, arena, &made.n_points);
    return made;
}

struct profile_memory memory_function(const struct profile *profile, size_t function)
{
    const struct memory *memory = &profile->memory;
    if (function >= memory->functions.n)
        return (struct profile_memory){0};
    return made_of(memory, &memory->functions.items[function]);
}

static struct profile_peak peak_of(const struct profile *profile)
{
    const struct memory_peak *peak = &profile->memory.peak;
    struct profile_peak made = {.time_s = (double)peak->time_ns * NS,
                                .bytes = (double)peak->bytes,
                                .error = sqrt(peak->variance),
                                .python = (double)peak->python_bytes};
    if (peak->frame != PLACES_NO_FRAME) {
        struct profile_frame frame = result_frame(&profile->places, peak->frame);
        made.path = frame.path;
        made.line = frame.line;
    }
    return made;
}

static int largest_first(const void *left, const void *right)
{
    const struct profile_memory_stack *a = left, *b = right;
    if (a->allocated != b->allocated)
        return a->allocated > b->allocated ? -1 : 1;
    return result_compare_stacks(&a->stack, &b->stack);
}

/* A copy to be merged, since the memory's own stacks go on growing; stacks that only copied are
 * not in it. */
static struct stacks copy_stacks(const struct memory *memory, double *bytes)
{
    struct stacks copy = {0};
    for (size_t i = 0; i < memory->stacks.n; i++) {
        const struct stack *stack = &memory->stacks.items[i];
        if (memory->stack_bytes.items[i] > 0)
            bytes[stacks_add(&copy, stack->frames, stack->n_frames, stack->flags)] =
                memory->stack_bytes.items[i];
    }
    return copy;
}

static void add_stacks(const struct profile *profile, struct arena *arena,
                       struct profile_heap *heap)
{
    const struct memory *memory = &profile->memory;
    size_t n = memory->stacks.n;
    double *bytes = arena_alloc(arena, n * sizeof *bytes);
    uint32_t *new_ids = arena_alloc(arena, n * sizeof *new_ids);
    struct stacks stacks = copy_stacks(memory, bytes);
    size_t n_old = stacks.n;
    stacks_merge(&stacks, bytes, profile->input.max_stacks, new_ids);
    heap->n_stacks = stacks.n;
    heap->stacks = arena_alloc(arena, stacks.n * sizeof *heap->stacks);
    for (size_t i = 0; i < stacks.n; i++)
        heap->stacks[i].stack = result_stack(&profile->places, arena, &stacks.items[i]);
    for (size_t i = 0; i < n_old; i++)
        heap->stacks[new_ids[i]].allocated += bytes[i];
    if (heap->n_stacks > 1)
        qsort(heap->stacks, heap->n_stacks, sizeof *heap->stacks, largest_first);
    stacks_fini(&stacks);
}

static double largest_of(const struct profile_point *points, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, points[i].bytes);
    return largest;
}

void memory_result(struct profile *profile, struct arena *arena)
{
    const struct memory *memory = &profile->memory;
    struct profile_heap *heap = &profile->result.heap;
    heap->is_measured = memory->is_measured;
    heap->resident = points_of(memory, &memory->resident, arena, &heap->n_resident);
    heap->largest_resident = largest_of(heap->resident, heap->n_resident);
    for (size_t i = 0; i < profile->processes.n; i++)
        heap->largest_resident =
            fmax(heap->largest_resident, (double)profile->processes.items[i]->memory.largest_rss);
    heap->shared = points_of(memory, &memory->shared, arena, &heap->n_shared);
    heap->largest_shared = largest_of(heap->shared, heap->n_shared);
    if (!memory->is_measured)
        return;
    heap->total = made_of(memory, &memory->total);
    heap->total.points = points_of(memory, memory->total.timeline, arena, &heap->total.n_points);
    for (size_t i = 0; i < PROFILE_OUTSIDES; i++) {
        heap->outsides[i] = made_of(memory, &memory->outside[i]);
        add_part(&heap->outside, &heap->outsides[i]);
    }
    heap->peak = peak_of(profile);
    heap->n_copies = memory->n_copies;
    heap->n_blocks = memory->total.n_samples - memory->n_copies;
    heap->asked_mean = memory->asked_mean;
    heap->reached_mean = memory->n_chosen ? memory->chosen_bytes / (double)memory->n_chosen : 0;
    heap->least_mean = memory->least_mean;
    heap->most_mean = memory->most_mean;
    add_stacks(profile, arena, heap);
}
