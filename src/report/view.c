/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a JSON profile without trusting it. */
#include "report/view.h"

#include "report/highlight.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1e12 /* larger numbers are nonsense, and would not fit their columns */

double view_number(const json_t *object, const char *key)
{
    double value = json_number_value(json_object_get(object, key));
    return isfinite(value) ? fmin(LARGEST, fmax(0, value)) : 0;
}

const char *view_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double percent(const json_t *object, const char *key)
{
    return fmin(100, view_number(object, key));
}

/* The text of a line as it was: what write_source() and upstream have escaped is undone, and it
 * ends where the line ends. */
static void set_text(struct view *v, struct view_row *row, const char *text)
{
    static const struct {
        const char *escape;
        char character;
    } escapes[] = {{"\\u0026", '&'}, {"\\u003c", '<'}, {"\\u003e", '>'}};
    size_t n_bytes = strcspn(text, "\r\n");
    char *copy = arena_alloc(&v->texts, n_bytes + 1);
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; n++) {
        copy[n] = text[i];
        size_t step = 1;
        for (size_t k = 0; k < sizeof escapes / sizeof *escapes && text[i] == '\\'; k++) {
            if (n_bytes - i >= 6 && strncasecmp(text + i, escapes[k].escape, 6) == 0) {
                copy[n] = escapes[k].character;
                step = 6;
            }
        }
        i += step;
    }
    while (n && (copy[n - 1] == ' ' || copy[n - 1] == '\t'))
        n--;
    row->text = copy;
    row->n_bytes = n;
}

static void set_time(struct view_row *row, const json_t *item)
{
    row->python = percent(item, "n_cpu_percent_python");
    row->native = percent(item, "n_cpu_percent_c");
    row->system = percent(item, "n_sys_percent");
    row->time = fmin(100, row->python + row->native + row->system);
    row->seconds = view_number(item, "cpu_seconds_python") +
                   view_number(item, "cpu_seconds_native") +
                   view_number(item, "cpu_seconds_system");
    row->error = percent(item, "cpu_percent_error");
    row->n_samples = (uint64_t)(view_number(item, "cpu_samples") + view_number(item, "idle_looks"));
    double idle_s = fmin(row->seconds, view_number(item, "idle_seconds"));
    row->idle = row->seconds > 0 ? fmin(row->system, row->time * idle_s / row->seconds) : 0;
}

static void read_row(struct view *v, view_rows *rows, const json_t *item)
{
    struct view_row *row = vec_push(rows);
    row->lineno = (uint32_t)fmin(UINT32_MAX, view_number(item, "lineno"));
    set_text(v, row, view_text(item, "line"));
    set_time(row, item);
    waits_read(row->waits_s, json_object_get(item, "waits"));
    bool is_waiting = waits_sum(row->waits_s) > VIEW_LEAST_WAIT * v->elapsed_s && v->elapsed_s > 0;
    row->await = percent(item, "n_async_await_percent");
    row->gpu = percent(item, "n_gpu_percent");
    row->peak_mb = view_number(item, "n_peak_mb");
    row->alloc_mb = view_number(item, "n_malloc_mb");
    row->at_peak_mb = view_number(item, "n_at_peak_mb");
    double all_mb = view_number(v->profile, "max_footprint_mb");
    row->held = all_mb > 0 ? fmin(100, 100 * row->at_peak_mb / all_mb) : 0;
    row->copy_mb_s = view_number(item, "n_copy_mb_s");
    row->usage = 100 * fmin(1, view_number(item, "n_usage_fraction"));
    const json_t *samples = json_object_get(item, "memory_samples");
    row->memory_samples = json_array_size(samples) > 1 ? samples : NULL;
    row->is_active = row->time > 0 || row->await > 0 || row->gpu > 0 || row->peak_mb > 0 ||
                     row->alloc_mb > 0 || row->copy_mb_s > 0 || is_waiting;
    v->features |= is_waiting ? VIEW_WAITS : 0u;
    v->features |= json_object_get(item, "cpu_samples") ? VIEW_SAMPLES : 0u;
    v->features |= row->peak_mb > 0 || row->alloc_mb > 0 ? VIEW_MEMORY : 0u;
    v->features |= row->copy_mb_s >= 0.5 ? VIEW_COPY : 0u;
    v->features |= row->gpu >= 1 ? VIEW_GPU : 0u;
    v->features |= row->await >= 1 ? VIEW_AWAIT : 0u;
}

static int compare_lines(const void *a, const void *b)
{
    const struct view_row *left = a, *right = b;
    return (left->lineno > right->lineno) - (left->lineno < right->lineno);
}

static int compare_functions(const void *a, const void *b)
{
    const struct view_row *left = a, *right = b;
    int by_time = (left->time < right->time) - (left->time > right->time);
    return by_time ? by_time : compare_lines(a, b);
}

static void read_rows(struct view *v, view_rows *rows, const json_t *items,
                      int (*compare)(const void *, const void *))
{
    size_t i;
    const json_t *item;
    json_array_foreach(items, i, item)
    {
        if (json_is_object(item))
            read_row(v, rows, item);
    }
    if (rows->n)
        qsort(rows->items, rows->n, sizeof *rows->items, compare);
}

static void find_leaks(struct view_file *file)
{
    for (size_t i = 0; i < file->lines.n; i++) {
        char key[16];
        snprintf(key, sizeof key, "%u", file->lines.items[i].lineno);
        const json_t *leak = json_object_get(file->leaks, key);
        file->lines.items[i].leak = json_is_object(leak) ? leak : NULL;
    }
}

/* Joins the lines, so that a string over several of them is seen as one. */
static void join_text(struct view_file *file)
{
    for (size_t i = 0; i < file->lines.n; i++)
        file->n_bytes += file->lines.items[i].n_bytes + 1;
    file->text = xrealloc(NULL, file->n_bytes);
    file->paints = xrealloc(NULL, file->n_bytes);
    char *end = file->text;
    for (size_t i = 0; i < file->lines.n; i++) {
        struct view_row *line = &file->lines.items[i];
        memcpy(end, line->text, line->n_bytes);
        line->text = end;
        end += line->n_bytes;
        *end++ = '\n';
    }
    file->has_text = file->n_bytes > file->lines.n;
    highlight(file->paints, file->text, file->n_bytes);
    outline_init(&file->outline, file->text, file->n_bytes, (uint32_t)file->lines.n);
}

static void read_file(struct view *v, const char *path, const json_t *item)
{
    struct view_file *file = vec_push(&v->files);
    file->path = path;
    file->percent = percent(item, "percent_cpu_time");
    file->leaks = json_object_get(item, "leaks");
    read_rows(v, &file->lines, json_object_get(item, "lines"), compare_lines);
    read_rows(v, &file->functions, json_object_get(item, "functions"), compare_functions);
    find_leaks(file);
    join_text(file);
    for (size_t i = 0; i < file->lines.n; i++) {
        v->python += file->lines.items[i].python;
        v->native += file->lines.items[i].native;
        v->system += file->lines.items[i].system;
        v->largest = fmax(v->largest, file->lines.items[i].time);
    }
    if (file->functions.n)
        v->largest = fmax(v->largest, file->functions.items[0].time);
}

static int compare_files(const void *a, const void *b)
{
    const struct view_file *left = a, *right = b;
    int by_time = (left->percent < right->percent) - (left->percent > right->percent);
    return by_time ? by_time : strcmp(left->path, right->path);
}

/* Our own profiles know the total; of others the lines are summed up. */
static void read_totals(struct view *v, const json_t *about)
{
    double python = view_number(about, "cpu_seconds_python");
    double native = view_number(about, "cpu_seconds_native");
    double system = view_number(about, "cpu_seconds_system");
    double all = python + native + system;
    v->idle_s = fmin(all, view_number(about, "idle_seconds"));
    v->cpu_s = all - v->idle_s;
    if (all <= 0)
        all = (python = v->python) + (native = v->native) + (system = v->system);
    v->python = all > 0 ? 100 * python / all : 0;
    v->native = all > 0 ? 100 * native / all : 0;
    v->system = all > 0 ? 100 * system / all : 0;
}

void view_init(struct view *v, const json_t *profile)
{
    *v = (struct view){.profile = profile};
    const char *path;
    json_t *item;
    const json_t *about = json_object_get(profile, "scalene");
    v->elapsed_s = view_number(profile, "elapsed_time_sec");
    v->n_samples = (uint64_t)view_number(about, "samples");
    v->n_looks = (uint64_t)view_number(about, "idle_looks");
    waits_read(v->waits_s, json_object_get(about, "waits"));
    v->features |= json_object_get(about, "samples") ? VIEW_SAMPLES : 0u;
    json_object_foreach(json_object_get(profile, "files"), path, item) read_file(v, path, item);
    if (v->files.n)
        qsort(v->files.items, v->files.n, sizeof *v->files.items, compare_files);
    read_totals(v, about);
}

void view_fini(struct view *v)
{
    for (size_t i = 0; i < v->files.n; i++) {
        struct view_file *file = &v->files.items[i];
        vec_fini(&file->lines);
        vec_fini(&file->functions);
        free(file->text);
        free(file->paints);
        outline_fini(&file->outline);
    }
    vec_fini(&v->files);
    arena_fini(&v->texts);
}

const char *view_short_path(const struct view *v, const char *path)
{
    static const char *const roots[] = {"entrypoint_dir", "filename"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const char *root = view_text(v->profile, roots[i]);
        size_t n = strlen(root);
        while (n && root[n - 1] == '/')
            n--;
        if (n && strncmp(path, root, n) == 0 && path[n] == '/' && path[n + 1])
            return path + n + 1;
    }
    return path;
}

const char *view_function(const struct view_file *file, size_t line_index)
{
    const char *name = outline_place(&file->outline, (uint32_t)line_index + 1).name;
    return name ? name : "";
}
