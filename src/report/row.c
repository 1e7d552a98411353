/* SPDX-License-Identifier: Apache-2.0 */
/* The table below is the list of a row's keys, sorted as the file wants them. Keys of what is not
 * measured hold their empty values, so that readers find every key. */
#include "report/row.h"

#include "report/json.h"

#include <math.h>

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
    const struct cost *cost = cost_of(row);
    double fraction = percent(row, cost->python_s + cost->native_s + cost->system_s) / 100;
    write_number(w, cost->n_samples ? report_error_points(fraction, row->total->n_samples) : 0);
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
    write_number(w, cost_of(row)->n_samples ? row->core_utilization : 0);
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
} keys[] = {
    {"async_task_names", write_empty, false},
    {"cpu_percent_error", write_error, false},
    {"cpu_samples", write_samples, false},
    {"cpu_samples_list", write_sample_times, false},
    {"cpu_seconds_native", write_seconds_native, false},
    {"cpu_seconds_python", write_seconds_python, false},
    {"cpu_seconds_system", write_seconds_system, false},
    {"end_function_line", write_end_function, true},
    {"end_outermost_loop", write_end_loop, true},
    {"end_region_line", write_end_region, true},
    {"is_coroutine", write_is_coroutine, false},
    {"line", write_line_text, false},
    {"lineno", write_lineno, false},
    {"memory_samples", write_empty, false},
    {"n_async_await_percent", write_zero, false},
    {"n_async_concurrency_mean", write_zero, false},
    {"n_async_concurrency_peak", write_zero, false},
    {"n_avg_mb", write_zero, false},
    {"n_copy_mb_s", write_zero, false},
    {"n_core_utilization", write_core_utilization, false},
    {"n_cpu_percent_c", write_native, false},
    {"n_cpu_percent_python", write_python, false},
    {"n_gpu_avg_memory_mb", write_zero, false},
    {"n_gpu_peak_memory_mb", write_zero, false},
    {"n_gpu_percent", write_zero, false},
    {"n_growth_mb", write_zero, false},
    {"n_malloc_mb", write_zero, false},
    {"n_mallocs", write_zero, false},
    {"n_peak_mb", write_zero, false},
    {"n_python_fraction", write_zero, false},
    {"n_sys_percent", write_system, false},
    {"n_usage_fraction", write_zero, false},
    {"start_function_line", write_start_function, true},
    {"start_outermost_loop", write_start_loop, true},
    {"start_region_line", write_start_region, true},
};

void row_write(struct writer *w, const struct row *row)
{
    write_open(w, '{');
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].is_of_lines_only && row->name)
            continue;
        write_key(w, keys[i].key);
        keys[i].write(w, row);
    }
    write_close(w, '}');
}
