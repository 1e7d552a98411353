/* SPDX-License-Identifier: Apache-2.0 */
/* Profile out: sums by file, line, function and stack, put in order. */
#include "analyze/state.h"

#define NS 1e-9

/* The sums a result is made of; arrays by the numbers of struct places and struct stacks. */
struct sums {
    struct arena *arena; /* borrowed: what the result points at is made in here */
    struct cost *lines, *functions, *stacks;
    double *outside_ns; /* by process */
};

static double cost_s(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

static void add_cost(struct cost *cost, enum verdict verdict, double cpu_ns, uint64_t n_samples)
{
    double *part = verdict == VERDICT_SYSTEM   ? &cost->system_s
                   : verdict == VERDICT_NATIVE ? &cost->native_s
                                               : &cost->python_s;
    *part += cpu_ns * NS;
    cost->n_samples += n_samples;
}

static void join_cost(struct cost *cost, const struct cost *other)
{
    cost->python_s += other->python_s;
    cost->native_s += other->native_s;
    cost->system_s += other->system_s;
    cost->n_samples += other->n_samples;
}

static void add_entry(const struct profile *profile, struct sums *sums, const struct entry *entry)
{
    const struct account *account = &entry->account;
    enum verdict verdict = (enum verdict)account->verdict;
    if (verdict == VERDICT_HELPER &&
        operation_is_long(&profile->operations.items[account->operation]))
        verdict = VERDICT_NATIVE;
    struct frame frame = profile->places.frames.items[account->frame];
    struct cost *costs[] = {&sums->lines[frame.line], &sums->functions[frame.function],
                            &sums->stacks[account->stack]};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        add_cost(costs[i], verdict, entry->cpu_ns, entry->n_samples);
}

/* All accounts: those of threads that are over, and of those still at work as they stand now. */
static void sum_up(struct profile *profile, struct sums *sums)
{
    struct ledger ledger = {0};
    sums->lines = arena_alloc(sums->arena, profile->places.lines.n * sizeof *sums->lines);
    sums->functions =
        arena_alloc(sums->arena, profile->places.functions.n * sizeof *sums->functions);
    sums->stacks = arena_alloc(sums->arena, profile->stacks.n * sizeof *sums->stacks);
    sums->outside_ns = arena_alloc(sums->arena, profile->processes.n * sizeof *sums->outside_ns);
    for (size_t p = 0; p < profile->processes.n; p++) {
        const struct process *process = profile->processes.items[p];
        sums->outside_ns[p] = process->outside_ns;
        for (size_t t = 0; t < process->threads.n; t++)
            if (!process->threads.items[t].is_over)
                sums->outside_ns[p] += thread_settle(&process->threads.items[t], &ledger);
    }
    for (size_t i = 0; i < profile->ledger.n; i++)
        add_entry(profile, sums, &profile->ledger.items[i]);
    for (size_t i = 0; i < ledger.n; i++)
        add_entry(profile, sums, &ledger.items[i]);
    ledger_fini(&ledger);
}

/* ---- files ---- */

static int by_lineno(const void *left, const void *right)
{
    const struct profile_line *a = left, *b = right;
    return a->lineno < b->lineno ? -1 : a->lineno > b->lineno;
}

static int by_first_line(const void *left, const void *right)
{
    const struct profile_function *a = left, *b = right;
    if (a->first_line != b->first_line)
        return a->first_line < b->first_line ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int by_file_cost(const void *left, const void *right)
{
    const struct profile_file *a = left, *b = right;
    double cost_a = cost_s(&a->cost), cost_b = cost_s(&b->cost);
    if (cost_a != cost_b)
        return cost_a > cost_b ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void sort(void *items, size_t n, size_t size, int (*order)(const void *, const void *))
{
    if (n > 1)
        qsort(items, n, size, order);
}

static struct profile_line line_of(struct arena *arena, const struct line *line,
                                   const struct cost *cost)
{
    struct profile_line made = {.lineno = line->lineno, .cost = *cost};
    made.n_sample_times = line->times_ns.n;
    made.sample_times_s = arena_alloc(arena, made.n_sample_times * sizeof(double));
    for (size_t i = 0; i < made.n_sample_times; i++)
        made.sample_times_s[i] = (double)line->times_ns.items[i] * NS;
    /* Threads and processes are not drained in the order of time. */
    sort(made.sample_times_s, made.n_sample_times, sizeof(double), by_value);
    return made;
}

/* Numbers the files with samples, in order of appearance, and counts their lines and functions. */
static void make_files(const struct profile *profile, const struct sums *sums,
                       struct profile_result *result, struct map *ids)
{
    const struct places *places = &profile->places;
    result->files = arena_alloc(sums->arena, places->lines.n * sizeof *result->files);
    for (size_t i = 0; i < places->lines.n; i++) {
        if (sums->lines[i].n_samples == 0)
            continue;
        const char *path = places->lines.items[i].path;
        bool is_new;
        size_t *id = map_at(ids, &path, sizeof path, &is_new);
        if (is_new) {
            *id = result->n_files++;
            result->files[*id].path = path;
        }
        result->files[*id].n_lines++;
        join_cost(&result->files[*id].cost, &sums->lines[i]);
        join_cost(&result->total, &sums->lines[i]);
    }
    for (size_t i = 0; i < places->functions.n; i++) {
        const size_t *id = map_find(ids, &places->functions.items[i].path, sizeof(char *));
        if (sums->functions[i].n_samples && id)
            result->files[*id].n_functions++;
    }
}

static void fill_files(const struct profile *profile, const struct sums *sums,
                       struct profile_result *result, const struct map *ids)
{
    const struct places *places = &profile->places;
    for (size_t i = 0; i < result->n_files; i++) {
        struct profile_file *file = &result->files[i];
        file->lines = arena_alloc(sums->arena, file->n_lines * sizeof *file->lines);
        file->functions = arena_alloc(sums->arena, file->n_functions * sizeof *file->functions);
        file->n_lines = file->n_functions = 0;
    }
    for (size_t i = 0; i < places->lines.n; i++) {
        const size_t *id = map_find(ids, &places->lines.items[i].path, sizeof(char *));
        if (sums->lines[i].n_samples == 0 || !id)
            continue;
        struct profile_file *file = &result->files[*id];
        file->lines[file->n_lines++] =
            line_of(sums->arena, &places->lines.items[i], &sums->lines[i]);
    }
    for (size_t i = 0; i < places->functions.n; i++) {
        const struct function *function = &places->functions.items[i];
        const size_t *id = map_find(ids, &function->path, sizeof(char *));
        if (sums->functions[i].n_samples == 0 || !id)
            continue;
        struct profile_file *file = &result->files[*id];
        file->functions[file->n_functions++] = (struct profile_function){
            function->name, function->first_line, function->is_coroutine, sums->functions[i]};
    }
}

static void add_files(const struct profile *profile, const struct sums *sums,
                      struct profile_result *result)
{
    struct map ids = {0};
    make_files(profile, sums, result, &ids);
    fill_files(profile, sums, result, &ids);
    map_fini(&ids);
    for (size_t i = 0; i < result->n_files; i++) {
        struct profile_file *file = &result->files[i];
        sort(file->lines, file->n_lines, sizeof *file->lines, by_lineno);
        sort(file->functions, file->n_functions, sizeof *file->functions, by_first_line);
    }
    sort(result->files, result->n_files, sizeof *result->files, by_file_cost);
}

/* ---- stacks ---- */

static struct profile_frame frame_of(const struct places *places, uint32_t id)
{
    const struct frame *frame = &places->frames.items[id];
    const struct function *function = &places->functions.items[frame->function];
    return (struct profile_frame){function->path, function->name,
                                  places->lines.items[frame->line].lineno};
}

static int by_stack_cost(const void *left, const void *right)
{
    const struct profile_stack *a = left, *b = right;
    double cost_a = cost_s(&a->cost), cost_b = cost_s(&b->cost);
    if (cost_a != cost_b)
        return cost_a > cost_b ? -1 : 1;
    if (a->n_frames != b->n_frames)
        return a->n_frames > b->n_frames ? -1 : 1;
    for (size_t i = 0; i < a->n_frames; i++) {
        int order = strcmp(a->frames[i].path, b->frames[i].path);
        if (order == 0)
            order = a->frames[i].line - b->frames[i].line;
        if (order)
            return order;
    }
    return (a->is_merged - b->is_merged) * 2 + a->is_cut - b->is_cut;
}

/* A copy to be merged: the profile's own stacks go on growing. Stacks without samples, left from
 * merging, are not in it. */
static struct stacks copy_stacks(const struct stacks *stacks, const struct cost *costs,
                                 double *seconds, struct cost *copied)
{
    struct stacks copy = {0};
    for (size_t i = 0; i < stacks->n; i++) {
        if (costs[i].n_samples == 0)
            continue;
        const struct stack *stack = &stacks->items[i];
        uint32_t id = stacks_add(&copy, stack->frames, stack->n_frames, stack->flags);
        seconds[id] = cost_s(&costs[i]);
        copied[id] = costs[i];
    }
    return copy;
}

static void add_stacks(const struct profile *profile, const struct sums *sums,
                       struct profile_result *result)
{
    size_t n = profile->stacks.n;
    double *seconds = arena_alloc(sums->arena, n * sizeof *seconds);
    struct cost *costs = arena_alloc(sums->arena, n * sizeof *costs);
    uint32_t *new_ids = arena_alloc(sums->arena, n * sizeof *new_ids);
    struct stacks stacks = copy_stacks(&profile->stacks, sums->stacks, seconds, costs);
    size_t n_old = stacks.n;
    stacks_merge(&stacks, seconds, profile->input.max_stacks, new_ids);
    result->n_stacks = stacks.n;
    result->stacks = arena_alloc(sums->arena, stacks.n * sizeof *result->stacks);
    for (size_t i = 0; i < stacks.n; i++) {
        const struct stack *stack = &stacks.items[i];
        struct profile_frame *frames = arena_alloc(sums->arena, stack->n_frames * sizeof *frames);
        for (uint32_t k = 0; k < stack->n_frames; k++)
            frames[k] = frame_of(&profile->places, stack->frames[k]);
        result->stacks[i] = (struct profile_stack){.frames = frames,
                                                   .n_frames = stack->n_frames,
                                                   .is_cut = stack->flags & STACK_IS_CUT,
                                                   .is_merged = stack->flags & STACK_IS_MERGED};
    }
    for (size_t i = 0; i < n_old; i++)
        join_cost(&result->stacks[new_ids[i]].cost, &costs[i]);
    sort(result->stacks, result->n_stacks, sizeof *result->stacks, by_stack_cost);
    stacks_fini(&stacks);
}

/* ---- processes ---- */

static void add_threads(struct arena *arena, const struct process *process,
                        struct profile_process *made)
{
    made->n_threads = process->threads.n;
    made->threads = arena_alloc(arena, made->n_threads * sizeof *made->threads);
    for (size_t i = 0; i < made->n_threads; i++) {
        const struct thread *thread = &process->threads.items[i];
        made->threads[i] = (struct profile_thread){
            .tid = thread->tid,
            .ident = thread->ident,
            .is_main = thread->is_main,
            .is_native = !thread->has_python,
            .cpu_s = (double)(thread->cpu_ns - thread->start_cpu_ns) * NS,
            .n_samples = thread->n_samples,
        };
        made->cpu_s += made->threads[i].cpu_s;
    }
}

static struct profile_process process_made(struct arena *arena, const struct process *process,
                                           double outside_ns)
{
    static const char *const none[] = {NULL};
    struct profile_process made = {
        .pid = process->record.pid,
        .parent_pid = process->record.parent_pid,
        .executable = process->executable ? process->executable : "",
        .arguments = process->arguments ? process->arguments : none,
        .python_build = process->version,
        .start_realtime_s = (double)process->record.realtime_ns * NS,
        .start_s = (double)process->record.time_ns * NS,
        .end_s = (double)process->last_time_ns * NS,
        .total_cpu_s = (double)process->total_cpu_ns * NS,
        .outside_s = outside_ns * NS,
        .period_asked_s = process->record.period_ns * NS,
        .n_cpus = process->record.n_cpus,
    };
    if (process->version)
        made.python_version =
            arena_strndup(arena, process->version, strcspn(process->version, " "));
    memcpy(made.counters, process->counters, sizeof made.counters);
    add_threads(arena, process, &made);
    if (process->n_samples)
        made.period_reached_s = made.cpu_s / (double)process->n_samples;
    return made;
}

static void add_processes(const struct profile *profile, const struct sums *sums,
                          struct profile_result *result)
{
    result->n_processes = profile->processes.n;
    result->processes = arena_alloc(sums->arena, result->n_processes * sizeof *result->processes);
    for (size_t i = 0; i < result->n_processes; i++) {
        result->processes[i] =
            process_made(sums->arena, profile->processes.items[i], sums->outside_ns[i]);
        result->outside_s += result->processes[i].outside_s;
    }
    if (result->n_processes == 0)
        return;
    const struct profile_process *first = &result->processes[0];
    const struct thread *main_thread = process_main_thread(profile->processes.items[0]);
    result->start_realtime_s = first->start_realtime_s;
    result->start_s = first->start_s;
    result->elapsed_s = first->end_s > first->start_s ? first->end_s - first->start_s : 0;
    result->main_thread_ident = main_thread ? main_thread->ident : 0;
}

void result_make(struct profile *profile)
{
    static const char *const none[] = {NULL};
    arena_fini(&profile->result_arena);
    profile->result = (struct profile_result){
        .program = profile->program ? profile->program : "",
        .entry_folder = profile->entry_folder ? profile->entry_folder : "",
        .program_path = profile->program_path ? profile->program_path : "",
        .arguments = profile->arguments ? profile->arguments : none,
        .n_samples = profile->n_samples,
        .n_unknown_records = profile->n_unknown_records,
    };
    struct sums sums = {.arena = &profile->result_arena};
    sum_up(profile, &sums);
    add_files(profile, &sums, &profile->result);
    add_stacks(profile, &sums, &profile->result);
    add_processes(profile, &sums, &profile->result);
}
