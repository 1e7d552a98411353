/* SPDX-License-Identifier: Apache-2.0 */
/* Profile out: sums by file, line, function and stack, put in order. */
#include "analyze/parts.h"
#include "analyze/sums.h"

#include <math.h>

#define NS 1e-9

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

/* How much of the machine was at work for a place while a thread was at it. That thread ran or
 * waited; others that Python does not know may have worked for it. */
static double core_utilization(const struct profile *profile, const struct sum *sum)
{
    double n_cpus = profile->processes.n ? profile->processes.items[0]->record.n_cpus : 0;
    double cpu_s = cost_s(&sum->cost) - sum->cost.idle_s, waits_s = 0;
    for (size_t i = 0; i < WAIT_KINDS; i++)
        waits_s += sum->waits_s[i];
    double away_s = waits_s > sum->cost.idle_s ? waits_s : sum->cost.idle_s;
    double there_s = cpu_s - sum->helper_s + away_s;
    if (there_s * n_cpus <= cpu_s)
        return cpu_s > 0 && n_cpus > 0 ? 1 : 0;
    return cpu_s > 0 ? cpu_s / (there_s * n_cpus) : 0;
}

static struct profile_line line_of(const struct profile *profile, struct arena *arena,
                                   const struct line *line, const struct sum *sum)
{
    struct profile_line made = {.lineno = line->lineno, .cost = sum->cost};
    memcpy(made.waits_s, sum->waits_s, sizeof made.waits_s);
    made.core_utilization = core_utilization(profile, sum);
    made.memory = memory_line(profile, arena, (size_t)(line - profile->places.lines.items));
    made.n_sample_times = line->times_ns.n;
    made.sample_times_s = arena_alloc(arena, made.n_sample_times * sizeof(double));
    for (size_t i = 0; i < made.n_sample_times; i++)
        made.sample_times_s[i] = (double)line->times_ns.items[i] * NS;
    /* Threads and processes are not drained in the order of time. */
    sort(made.sample_times_s, made.n_sample_times, sizeof(double), by_value);
    return made;
}

static struct profile_function function_of(const struct profile *profile,
                                           const struct function *function, const struct sum *sum)
{
    struct profile_function made = {.name = function->name,
                                    .first_line = function->first_line,
                                    .is_coroutine = function->is_coroutine,
                                    .cost = sum->cost,
                                    .core_utilization = core_utilization(profile, sum)};
    made.memory = memory_function(profile, (size_t)(function - profile->places.functions.items));
    memcpy(made.waits_s, sum->waits_s, sizeof made.waits_s);
    return made;
}

/* Numbers the files that were seen, in order of appearance, and counts their lines and functions.
 */
static void make_files(const struct profile *profile, const struct sums *sums,
                       struct profile_result *result, struct map *ids)
{
    const struct places *places = &profile->places;
    result->files = arena_alloc(sums->arena, places->lines.n * sizeof *result->files);
    for (size_t i = 0; i < places->lines.n; i++) {
        if (!sums->lines[i].is_seen)
            continue;
        const char *path = places->lines.items[i].path;
        bool is_new;
        size_t *id = map_at(ids, &path, sizeof path, &is_new);
        if (is_new) {
            *id = result->n_files++;
            result->files[*id].path = path;
        }
        result->files[*id].n_lines++;
        cost_join(&result->files[*id].cost, &sums->lines[i].cost);
        cost_join(&result->total, &sums->lines[i].cost);
    }
    for (size_t i = 0; i < places->functions.n; i++) {
        const size_t *id = map_find(ids, &places->functions.items[i].path, sizeof(char *));
        if (sums->functions[i].is_seen && id)
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
        if (!sums->lines[i].is_seen || !id)
            continue;
        struct profile_file *file = &result->files[*id];
        file->lines[file->n_lines++] =
            line_of(profile, sums->arena, &places->lines.items[i], &sums->lines[i]);
        file->allocated += file->lines[file->n_lines - 1].memory.allocated;
    }
    for (size_t i = 0; i < places->functions.n; i++) {
        const struct function *function = &places->functions.items[i];
        const size_t *id = map_find(ids, &function->path, sizeof(char *));
        if (!sums->functions[i].is_seen || !id)
            continue;
        struct profile_file *file = &result->files[*id];
        file->functions[file->n_functions++] = function_of(profile, function, &sums->functions[i]);
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

/* ---- processes ---- */

/* As Python calls it, else as the kernel does: that is the program's name, cut, if nobody gave it
 * another. */
static const char *name_of(struct arena *arena, const struct process *process,
                           const struct thread *thread)
{
    const char *path = process->executable ? process->executable : "";
    const char *slash = strrchr(path, '/');
    if (thread->name)
        return thread->name;
    if (thread->is_main)
        return "MainThread";
    path = slash ? slash + 1 : path;
    return arena_strndup(arena, path, strnlen(path, 15));
}

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
            .name = name_of(arena, process, thread),
            .is_main = thread->is_main,
            .is_native = !thread->has_python,
            .cpu_s = (double)(thread->cpu_ns - thread->start_cpu_ns) * NS,
            .n_samples = thread->n_samples,
        };
        for (size_t k = 0; k < WAIT_KINDS; k++)
            made->threads[i].waits_s[k] = thread->waits_ns[k] * NS;
        made->cpu_s += made->threads[i].cpu_s;
    }
}

static enum profile_seen waits_seen(const struct process *process)
{
    if (process->inside.n_told)
        return SEEN_INSIDE;
    if (process->n_blind_waits)
        return SEEN_WITHOUT_LINES;
    return process->n_waits ? SEEN_OUTSIDE : SEEN_NOT;
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
        .measured_s = (double)process_measured_ns(process) * NS,
        .total_cpu_s = (double)process->total_cpu_ns * NS,
        .outside_s = outside_ns * NS,
        .idle_s = process->idle_ns * NS,
        .outside_idle_s = process->outside_idle_ns * NS,
        .period_asked_s = process->record.period_ns * NS,
        .n_cpus = process->record.n_cpus,
        .waits_seen = waits_seen(process),
        .memory = memory_process(process),
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

/* The code of python -c, if all that were started so had the same. */
static const char *code_of(const struct profile *profile)
{
    const char *code = NULL;
    for (size_t i = 0; i < profile->processes.n; i++) {
        const char *other = profile->processes.items[i]->code;
        if (code && other && strcmp(code, other) != 0)
            return NULL;
        code = other ? other : code;
    }
    return code;
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
        result->outside_idle_s += result->processes[i].outside_idle_s;
        if (result->processes[i].waits_seen > result->waits_seen)
            result->waits_seen = result->processes[i].waits_seen;
    }
    if (result->n_processes == 0)
        return;
    const struct profile_process *first = &result->processes[0];
    const struct thread *main_thread = process_main_thread(profile->processes.items[0]);
    result->start_realtime_s = first->start_realtime_s;
    result->start_s = first->start_s;
    result->elapsed_s = first->measured_s;
    result->main_thread_ident = main_thread ? main_thread->ident : 0;
}

/* Bursts sample densely for a moment, and a busy machine samples some threads rarely: what hangs on
 * few heavy samples is known less well than their number says. */
static uint64_t even_samples(const struct profile *profile)
{
    return profile->squares > 0
               ? (uint64_t)llround(profile->weights * profile->weights / profile->squares)
               : profile->n_samples;
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
        .code = code_of(profile),
        .n_samples = profile->n_samples,
        .n_even = even_samples(profile),
        .n_unknown_records = profile->n_unknown_records,
    };
    struct sums sums = {.arena = &profile->result_arena};
    sums_make(&sums, profile);
    for (size_t i = 0; i < WAIT_KINDS; i++)
        profile->result.waits_s[i] = profile->waits_ns[i] * NS;
    gil_result(&profile->gil, &profile->places, sums.arena, &profile->result);
    memory_settle(profile);
    add_files(profile, &sums, &profile->result);
    memory_result(profile, sums.arena);
    stack_result(profile, &sums, &profile->result);
    add_processes(profile, &sums, &profile->result);
    parts_result(profile, &sums, &profile->result);
    sums_fini(&sums);
}
