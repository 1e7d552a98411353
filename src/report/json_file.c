/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the JSON profile: all their lines, their functions, their imports. */
#include "report/json_part.h"
#include "report/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ALLOCATED                                                                            \
    1048576.0 /* bytes: a file that allocates more is shown, as upstream does                      \
               */

static void write_line(struct json_context *c, const struct source *source, uint32_t lineno,
                       const struct profile_line *line)
{
    struct row row = {.lineno = lineno, .text = "", .total = &c->r->total};
    row.n_even = c->r->n_even;
    row.all_allocated = c->r->heap.total.allocated;
    row.elapsed_s = c->r->elapsed_s;
    row.place.region = row.place.outermost_loop = (struct outline_span){lineno, lineno};
    if (source && lineno >= 1 && lineno <= source->n_lines) {
        row.text = source->text + source->lines[lineno - 1].start;
        row.n_text_bytes = source->lines[lineno - 1].n_bytes;
        row.place = outline_place(&source->outline, lineno);
    }
    if (line) {
        row.cost = &line->cost;
        row.memory = &line->memory;
        row.waits_s = line->waits_s;
        row.core_utilization = line->core_utilization;
        row.sample_times_s = line->sample_times_s;
        row.n_sample_times = line->n_sample_times;
    }
    write_break(&c->w);
    row_write(&c->w, &row);
}

/* Every line of the text, and the measured lines beyond it when the text is missing or is not the
 * one that ran. */
static void write_lines(struct json_context *c, const struct source *source,
                        const struct profile_file *file)
{
    uint32_t n_lines = source && !c->o->is_reduced ? source->n_lines : 0;
    uint32_t next = 1;
    write_open(&c->w, '[');
    for (size_t i = 0; i < file->n_lines; i++) {
        const struct profile_line *line = &file->lines[i];
        uint32_t lineno = line->lineno > 0 ? (uint32_t)line->lineno : 0;
        for (; next < lineno && next <= n_lines; next++)
            write_line(c, source, next, NULL);
        write_line(c, source, lineno, line);
        if (lineno >= next)
            next = lineno + 1;
    }
    for (; next <= n_lines; next++)
        write_line(c, source, next, NULL);
    write_close(&c->w, ']');
}

static void write_functions(struct json_context *c, const struct source *source,
                            const struct profile_file *file)
{
    write_open(&c->w, '[');
    for (size_t i = 0; i < file->n_functions; i++) {
        const struct profile_function *f = &file->functions[i];
        uint32_t first = f->first_line > 0 ? (uint32_t)f->first_line : 0;
        struct row row = {.lineno = first, .cost = &f->cost, .total = &c->r->total};
        row.n_even = c->r->n_even;
        row.name = source ? outline_qualify(&source->outline, f->name, first) : f->name;
        row.is_coroutine = f->is_coroutine;
        row.waits_s = f->waits_s;
        row.memory = &f->memory;
        row.all_allocated = c->r->heap.total.allocated;
        row.elapsed_s = c->r->elapsed_s;
        row.core_utilization = f->core_utilization;
        write_break(&c->w);
        row_write(&c->w, &row);
    }
    write_close(&c->w, ']');
}

static void write_imports(struct json_context *c, const struct source *source)
{
    write_open(&c->w, '[');
    for (size_t i = 0; source && i < source->outline.imports.n; i++)
        write_text(&c->w, source->outline.imports.items[i]);
    write_close(&c->w, ']');
}

static double percent_of_total(const struct json_context *c, const struct profile_file *file)
{
    double total_s = json_seconds(&c->r->total);
    return total_s > 0 ? fmin(100, 100 * json_seconds(&file->cost) / total_s) : 0;
}

static void write_file(struct json_context *c, const struct profile_file *file)
{
    const struct source *source = json_source(c, file->path);
    write_break(&c->w);
    write_key(&c->w, file->path);
    write_open(&c->w, '{');
    write_break(&c->w);
    write_key(&c->w, "functions");
    write_functions(c, source, file);
    write_break(&c->w);
    write_key(&c->w, "imports");
    write_imports(c, source);
    write_break(&c->w);
    write_key(&c->w, "leaks");
    json_leaks(c, file);
    write_break(&c->w);
    write_key(&c->w, "lines");
    write_lines(c, source, file);
    write_break(&c->w);
    write_key(&c->w, "percent_cpu_time");
    write_number(&c->w, percent_of_total(c, file));
    write_close(&c->w, '}');
}

static int compare_paths(const void *a, const void *b)
{
    const struct profile_file *const *left = a, *const *right = b;
    return strcmp((*left)->path, (*right)->path);
}

static bool is_shown(const struct json_context *c, const struct profile_file *file)
{
    double n_allocations = 0;
    if (json_seconds(&c->r->total) <= 0 || percent_of_total(c, file) >= c->o->cpu_percent_threshold)
        return true;
    if (!c->o->malloc_threshold)
        return file->allocated >= LEAST_ALLOCATED;
    for (size_t i = 0; i < file->n_lines; i++)
        n_allocations += file->lines[i].memory.n_allocations;
    return n_allocations >= *c->o->malloc_threshold;
}

void json_files(struct json_context *c)
{
    vec_of(const struct profile_file *) shown = {0};
    for (size_t i = 0; i < c->r->n_files; i++)
        if (is_shown(c, &c->r->files[i]))
            *vec_push(&shown) = &c->r->files[i];
    if (shown.n)
        qsort(shown.items, shown.n, sizeof *shown.items, compare_paths);
    write_open(&c->w, '{');
    for (size_t i = 0; i < shown.n; i++)
        write_file(c, shown.items[i]);
    write_close(&c->w, '}');
    vec_fini(&shown);
}
