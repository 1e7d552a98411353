/* SPDX-License-Identifier: Apache-2.0 */
/* The top level of the JSON profile: one table of its keys, sorted. Keys of what is not measured
 * hold their empty values, so that readers find every key. */
#include "report/json.h"

#include "report/json_part.h"

#include <errno.h>
#include <math.h>
#include <string.h>

double report_error_points(double fraction, uint64_t n_samples)
{
    const double z = 1.959964; /* 95% of a normal distribution lie within so many deviations */
    if (n_samples == 0)
        return 100;
    double n = (double)n_samples;
    double p = fmin(1, fmax(0, fraction));
    double spread = sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return 100 * z * spread / (1 + z * z / n);
}

double report_cost_error(const struct cost *cost, const struct cost *total, uint64_t n_even)
{
    double all_s = json_seconds(total), all_cpu_s = all_s - total->idle_s;
    if (cost->n_samples + cost->n_looks == 0 || all_s <= 0)
        return 0;
    double cpu_s = json_seconds(cost) - cost->idle_s, cpu_error = 0, idle_error = 0;
    if (all_cpu_s > 0)
        cpu_error = all_cpu_s / all_s * report_error_points(cpu_s / all_cpu_s, n_even);
    if (total->idle_s > 0)
        idle_error = total->idle_s / all_s *
                     report_error_points(cost->idle_s / total->idle_s, total->n_looks);
    return fmin(100, hypot(cpu_error, idle_error));
}

double json_seconds(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

const struct source *json_source(const struct json_context *c, const char *path)
{
    return c->o->source_of && path ? c->o->source_of(c->o->source_context, path) : NULL;
}

static void write_false(struct json_context *c)
{
    write_bool(&c->w, false);
}

static void write_no_text(struct json_context *c)
{
    write_text(&c->w, "");
}

static void write_empty(struct json_context *c)
{
    write_open(&c->w, '[');
    write_close(&c->w, ']');
}

static void write_arguments(struct json_context *c)
{
    write_open(&c->w, '[');
    for (const char *const *a = c->r->arguments; a && *a; a++)
        write_text(&c->w, *a);
    write_close(&c->w, ']');
}

static void write_elapsed(struct json_context *c)
{
    write_number(&c->w, c->r->elapsed_s);
}

static void write_entry_folder(struct json_context *c)
{
    write_text(&c->w, c->r->entry_folder);
}

static void write_program_path(struct json_context *c)
{
    write_text(&c->w, c->r->program_path);
}

static void write_program(struct json_context *c)
{
    write_text(&c->w, c->r->program);
}

static void write_main_thread(struct json_context *c)
{
    write_count(&c->w, c->r->main_thread_ident);
}

static void write_start_realtime(struct json_context *c)
{
    write_number(&c->w, c->r->start_realtime_s);
}

static void write_start(struct json_context *c)
{
    write_number(&c->w, c->r->start_s);
}

static const struct {
    const char *key;
    void (*write)(struct json_context *c);
} keys[] = {
    {"alloc_samples", json_alloc_samples},
    {"args", write_arguments},
    {"async_profile", write_false},
    {"combined_stacks", json_combined_stacks},
    {"combined_stacks_timeline", write_empty},
    {"elapsed_time_sec", write_elapsed},
    {"entrypoint_dir", write_entry_folder},
    {"filename", write_program_path},
    {"files", json_files},
    {"gpu", write_false},
    {"gpu_device", write_no_text},
    {"growth_rate", json_growth_rate},
    {"main_thread_id", write_main_thread},
    {"max_footprint_fname", json_peak_file},
    {"max_footprint_lineno", json_peak_line},
    {"max_footprint_mb", json_peak},
    {"max_footprint_python_fraction", json_peak_python},
    {"memory", json_memory_is_measured},
    {"memory_stacks", json_memory_stacks},
    {"native_allocations_mb", json_outside_memory},
    {"program", write_program},
    {"samples", json_footprint},
    {"scalene", json_run},
    {"stacks", json_stacks},
    {"start_time_absolute", write_start_realtime},
    {"start_time_perf", write_start},
};

bool report_json(const struct profile_result *r, const struct report_options *o, FILE *out,
                 struct err *e)
{
    struct json_context c = {.w = {.out = out}, .r = r, .o = o};
    errno = 0;
    write_open(&c.w, '{');
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        write_break(&c.w);
        write_key(&c.w, keys[i].key);
        keys[i].write(&c);
    }
    fputs("\n", out);
    write_close(&c.w, '}');
    fputs("\n", out);
    if (fflush(out) != 0 || ferror(out))
        return err_set(e, "The profile cannot be written: %s.", strerror(errno));
    return true;
}
