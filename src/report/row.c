/* SPDX-License-Identifier: Apache-2.0 */
/* The table below is the list of a row's keys, sorted as the file wants them. Keys of what is not
 * measured hold their empty values, so that readers find every key. */
#include "report/row.h"

#include "report/json.h"
#include "report/points.h"
#include "report/waits.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double percent(const struct row *row, double seconds)
{
    const struct cost *total = row->total;
    double all = total->python_s + total->native_s + total->system_s;
    return all > 0 ? fmin(100, fmax(0, 100 * seconds / all)) : 0;
}

static const struct cost no_cost;

static const struct cost *cost_of(const struct row *row)
{
    return row->cost ? row->cost : &no_cost;
}

static void write_zero(struct writer *w, const struct row *row)
{
    (void)row;
    write_count(w, 0);
}

static void write_empty(struct writer *w, const struct row *row)
{
    (void)row;
    write_open(w, '[');
    write_close(w, ']');
}

static void write_line_text(struct writer *w, const struct row *row)
{
    if (row->name)
        write_text(w, row->name);
    else
        write_source(w, row->text, row->n_text_bytes);
}

static void write_lineno(struct writer *w, const struct row *row)
{
    write_count(w, row->lineno);
}

static void write_is_coroutine(struct writer *w, const struct row *row)
{
    write_bool(w, row->is_coroutine);
}

static void write_python(struct writer *w, const struct row *row)
{
    write_number(w, percent(row, cost_of(row)->python_s));
}

static void write_native(struct writer *w, const struct row *row)
{
    write_number(w, percent(row, cost_of(row)->native_s));
}

static void write_system(struct writer *w, const struct row *row)
{
    write_number(w, percent(row, cost_of(row)->system_s));
}

static void write_seconds_python(struct writer *w, const struct row *row)
{
    write_number(w, cost_of(row)->python_s);
}

static void write_seconds_native(struct writer *w, const struct row *row)
{
    write_number(w, cost_of(row)->native_s);
}

static void write_seconds_system(struct writer *w, const struct row *row)
{
    write_number(w, cost_of(row)->system_s);
}

static void write_samples(struct writer *w, const struct row *row)
{
    write_count(w, cost_of(row)->n_samples);
}

static void write_error(struct writer *w, const struct row *row)
{
    write_number(w, report_cost_error(cost_of(row), row->total, row->n_even));
}

static void write_sample_times(struct writer *w, const struct row *row)
{
    write_open(w, '[');
    for (size_t i = 0; i < row->n_sample_times; i++)
        write_number(w, row->sample_times_s[i]);
    write_close(w, ']');
}

static void write_core_utilization(struct writer *w, const struct row *row)
{
    write_number(w, row->core_utilization);
}

static void write_idle_looks(struct writer *w, const struct row *row)
{
    write_count(w, cost_of(row)->n_looks);
}

static void write_idle_seconds(struct writer *w, const struct row *row)
{
    write_number(w, cost_of(row)->idle_s);
}

static void write_waits(struct writer *w, const struct row *row)
{
    static const double none[WAIT_KINDS];
    waits_write(w, row->waits_s ? row->waits_s : none);
}

/* ---- memory ---- */

#define MIB 1048576.0

static const struct profile_memory no_memory;

static const struct profile_memory *memory_of(const struct row *row)
{
    return row->memory ? row->memory : &no_memory;
}

static double part(double value, double all)
{
    return all > 0 ? fmin(1, fmax(0, value / all)) : 0;
}

/* In MiB. */
static void write_bytes_at(struct writer *w, const struct row *row, size_t at)
{
    double bytes;
    memcpy(&bytes, (const char *)memory_of(row) + at, sizeof bytes);
    write_number(w, bytes / MIB);
}

static void write_memory_points(struct writer *w, const struct row *row)
{
    write_points(w, memory_of(row)->points, memory_of(row)->n_points);
}

static void write_allocations(struct writer *w, const struct row *row)
{
    write_count(w, (uint64_t)llround(memory_of(row)->n_allocations));
}

static void write_python_fraction(struct writer *w, const struct row *row)
{
    write_number(w, part(memory_of(row)->python, memory_of(row)->allocated));
}

static void write_usage_fraction(struct writer *w, const struct row *row)
{
    write_number(w, part(memory_of(row)->allocated, row->all_allocated));
}

static void write_copy_speed(struct writer *w, const struct row *row)
{
    double mb = memory_of(row)->copied / MIB;
    write_number(w, row->elapsed_s > 0 ? mb / row->elapsed_s : 0);
}

static void write_memory_count(struct writer *w, const struct row *row)
{
    write_count(w, memory_of(row)->n_samples);
}

static void write_lifetimes(struct writer *w, const struct row *row)
{
    const struct profile_memory *memory = memory_of(row);
    const struct {
        const char *key;
        double bytes;
    } parts[] = {
        {"at_once_mb", memory->lives[LIFE_AT_ONCE]},
        {"freed_mb", memory->lives[LIFE_LONGER]},
        {"kept_mb", memory->live},
        {"same_line_mb", memory->lives[LIFE_SAME_LINE]},
    };
    write_open(w, '{');
    for (size_t i = 0; memory->n_samples && i < sizeof parts / sizeof *parts; i++) {
        write_key(w, parts[i].key);
        write_number(w, parts[i].bytes / MIB);
    }
    write_close(w, '}');
}

static void write_start_function(struct writer *w, const struct row *row)
{
    write_count(w, row->place.function.start);
}

static void write_end_function(struct writer *w, const struct row *row)
{
    write_count(w, row->place.function.end);
}

static void write_start_loop(struct writer *w, const struct row *row)
{
    write_count(w, row->place.outermost_loop.start);
}

static void write_end_loop(struct writer *w, const struct row *row)
{
    write_count(w, row->place.outermost_loop.end);
}

static void write_start_region(struct writer *w, const struct row *row)
{
    write_count(w, row->place.region.start);
}

static void write_end_region(struct writer *w, const struct row *row)
{
    write_count(w, row->place.region.end);
}

static const struct {
    const char *key;
    void (*write)(struct writer *w, const struct row *row);
    bool is_of_lines_only;
    size_t bytes_at; /* without `write`: where in struct profile_memory the bytes are */
} keys[] = {
    {"async_task_names", write_empty, false, 0},
    {"cpu_percent_error", write_error, false, 0},
    {"cpu_samples", write_samples, false, 0},
    {"cpu_samples_list", write_sample_times, false, 0},
    {"cpu_seconds_native", write_seconds_native, false, 0},
    {"cpu_seconds_python", write_seconds_python, false, 0},
    {"cpu_seconds_system", write_seconds_system, false, 0},
    {"end_function_line", write_end_function, true, 0},
    {"end_outermost_loop", write_end_loop, true, 0},
    {"end_region_line", write_end_region, true, 0},
    {"idle_looks", write_idle_looks, false, 0},
    {"idle_seconds", write_idle_seconds, false, 0},
    {"is_coroutine", write_is_coroutine, false, 0},
    {"lifetimes", write_lifetimes, false, 0},
    {"line", write_line_text, false, 0},
    {"lineno", write_lineno, false, 0},
    {"memory_samples", write_memory_points, false, 0},
    {"n_alloc_samples", write_memory_count, false, 0},
    {"n_async_await_percent", write_zero, false, 0},
    {"n_async_concurrency_mean", write_zero, false, 0},
    {"n_async_concurrency_peak", write_zero, false, 0},
    {"n_at_peak_mb", NULL, false, offsetof(struct profile_memory, at_peak)},
    {"n_avg_mb", NULL, false, offsetof(struct profile_memory, average)},
    {"n_copy_mb", NULL, false, offsetof(struct profile_memory, copied)},
    {"n_copy_mb_s", write_copy_speed, false, 0},
    {"n_core_utilization", write_core_utilization, false, 0},
    {"n_cpu_percent_c", write_native, false, 0},
    {"n_cpu_percent_python", write_python, false, 0},
    {"n_gpu_avg_memory_mb", write_zero, false, 0},
    {"n_gpu_peak_memory_mb", write_zero, false, 0},
    {"n_gpu_percent", write_zero, false, 0},
    {"n_growth_mb", NULL, false, offsetof(struct profile_memory, largest)},
    {"n_live_error_mb", NULL, false, offsetof(struct profile_memory, live_error)},
    {"n_live_mb", NULL, false, offsetof(struct profile_memory, live)},
    {"n_malloc_error_mb", NULL, false, offsetof(struct profile_memory, allocated_error)},
    {"n_malloc_mb", NULL, false, offsetof(struct profile_memory, allocated)},
    {"n_mallocs", write_allocations, false, 0},
    {"n_peak_mb", NULL, false, offsetof(struct profile_memory, largest)},
    {"n_python_fraction", write_python_fraction, false, 0},
    {"n_sys_percent", write_system, false, 0},
    {"n_usage_fraction", write_usage_fraction, false, 0},
    {"start_function_line", write_start_function, true, 0},
    {"start_outermost_loop", write_start_loop, true, 0},
    {"start_region_line", write_start_region, true, 0},
    {"waits", write_waits, false, 0},
};

void row_write(struct writer *w, const struct row *row)
{
    write_open(w, '{');
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].is_of_lines_only && row->name)
            continue;
        write_key(w, keys[i].key);
        if (keys[i].write)
            keys[i].write(w, row);
        else
            write_bytes_at(w, row, keys[i].bytes_at);
    }
    write_close(w, '}');
}
