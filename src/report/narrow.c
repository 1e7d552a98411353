/* SPDX-License-Identifier: Apache-2.0 */
#include "report/narrow.h"

#include "base/map.h"
#include "base/vec.h"
#include "report/json.h"
#include "report/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define US 1e-6

struct sum {
    struct cost cost;
    double waits_s[WAIT_KINDS];
};

/* Sums by line and by function; a key is (file, line number, is a function). */
struct sums {
    const json_t *timeline; /* borrows */
    struct map ids;
    vec_of(struct sum) all;
    struct sum total;
    double even; /* of 1: samples of the same weight that would tell as much as those taken */
};

/* ---- who is wanted ---- */

static bool is_number(const json_t *thread, const char *key, const char *wish)
{
    char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(thread, key)));
    return strcmp(text, wish) == 0;
}

static bool is_thread(const json_t *thread, const char *wish)
{
    return !wish || strcmp(view_text(thread, "name"), wish) == 0 || is_number(thread, "tid", wish);
}

static bool is_process(const json_t *process, const char *wish)
{
    return !wish || is_number(process, "pid", wish);
}

static bool is_wanted(const json_t *process, const json_t *thread, const struct narrow_wish *wish)
{
    return is_process(process, wish->process) && is_thread(thread, wish->thread);
}

/* Marks the parts of the threads that are wanted; false: there is none. */
static bool choose(const json_t *processes, const struct narrow_wish *wish, bool *chosen, size_t n)
{
    bool is_found = false;
    size_t p, t;
    const json_t *process, *thread;
    json_array_foreach(processes, p, process)
    {
        json_array_foreach(json_object_get(process, "threads"), t, thread)
        {
            size_t part = (size_t)json_integer_value(json_object_get(thread, "part"));
            if (part < n && is_wanted(process, thread, wish))
                chosen[part] = is_found = true;
        }
    }
    return is_found;
}

/* Leaves only threads of chosen parts, and processes that have some. */
static void forget_others(json_t *processes, const bool *chosen, size_t n)
{
    for (size_t p = json_array_size(processes); p-- > 0;) {
        json_t *threads = json_object_get(json_array_get(processes, p), "threads");
        for (size_t t = json_array_size(threads); t-- > 0;) {
            const json_t *part = json_object_get(json_array_get(threads, t), "part");
            size_t number = (size_t)json_integer_value(part);
            if (number >= n || !chosen[number])
                json_array_remove(threads, t);
        }
        if (json_array_size(threads) == 0)
            json_array_remove(processes, p);
    }
}

/* A pool is called by the function its threads began in. */
static bool choose_pools(const json_t *parts, const json_t *processes,
                         const struct narrow_wish *wish, bool *chosen)
{
    bool is_found = false;
    size_t i;
    const json_t *part;
    json_array_foreach(parts, i, part)
    {
        size_t number = (size_t)json_integer_value(json_object_get(part, "process"));
        if (wish->thread && strcmp(view_text(part, "name"), wish->thread) == 0 &&
            is_process(json_array_get(processes, number), wish->process))
            chosen[i] = is_found = true;
    }
    return is_found;
}

/* ---- sums ---- */

static double element(const json_t *row, size_t i)
{
    double value = json_number_value(json_array_get(row, i));
    return value > 0 && value < 1e18 ? value : 0;
}

static struct sum *sum_at(struct sums *sums, uint32_t file, uint32_t lineno, bool is_function)
{
    const uint32_t key[] = {file, lineno, is_function};
    bool is_new;
    size_t *id = map_at(&sums->ids, key, sizeof key, &is_new);
    if (is_new) {
        *id = sums->all.n;
        vec_push(&sums->all);
    }
    return &sums->all.items[*id];
}

static struct cost cell_cost(const json_t *cell)
{
    double seconds = element(cell, 3) * US;
    uint64_t n = (uint64_t)element(cell, 4);
    switch ((enum profile_kind)element(cell, 2)) {
    case KIND_PYTHON:
        return (struct cost){.python_s = seconds, .n_samples = n};
    case KIND_NATIVE:
        return (struct cost){.native_s = seconds, .n_samples = n};
    case KIND_IDLE:
        return (struct cost){.system_s = seconds, .idle_s = seconds, .n_looks = n};
    default:
        return (struct cost){.system_s = seconds, .n_samples = n};
    }
}

static void join(struct sum *sum, const struct sum *other)
{
    sum->cost.python_s += other->cost.python_s;
    sum->cost.native_s += other->cost.native_s;
    sum->cost.system_s += other->cost.system_s;
    sum->cost.idle_s += other->cost.idle_s;
    sum->cost.n_samples += other->cost.n_samples;
    sum->cost.n_looks += other->cost.n_looks;
    for (size_t i = 0; i < WAIT_KINDS; i++)
        sum->waits_s[i] += other->waits_s[i];
}

/* Adds what was at a site to its line, its function and the whole. */
static void add_site(struct sums *sums, const json_t *number, const struct sum *one)
{
    const json_t *site = json_array_get(json_object_get(sums->timeline, "sites"),
                                        (size_t)json_integer_value(number));
    uint32_t file = (uint32_t)element(site, 0);
    join(sum_at(sums, file, (uint32_t)element(site, 1), false), one);
    join(sum_at(sums, file, (uint32_t)element(site, 2), true), one);
    join(&sums->total, one);
}

static void add_part(struct sums *sums, const json_t *part)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(part, "cells"), i, row)
    {
        struct sum one = {.cost = cell_cost(row)};
        add_site(sums, json_array_get(row, 1), &one);
    }
    json_array_foreach(json_object_get(part, "waits"), i, row)
    {
        struct sum one = {0};
        const char *name = json_string_value(json_array_get(row, 1));
        for (size_t k = 0; name && k < WAIT_KINDS; k++)
            if (strcmp(name, waits_name((enum wait_kind)k)) == 0)
                one.waits_s[k] = element(row, 2) * US;
        add_site(sums, json_array_get(row, 0), &one);
    }
}

/* ---- the numbers of the profile ---- */

static void set(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_real(value));
}

static void set_seconds(json_t *object, const struct sum *sum)
{
    json_t *waits = json_object();
    set(object, "cpu_seconds_python", sum->cost.python_s);
    set(object, "cpu_seconds_native", sum->cost.native_s);
    set(object, "cpu_seconds_system", sum->cost.system_s);
    set(object, "idle_seconds", sum->cost.idle_s);
    set(object, "idle_looks", (double)sum->cost.n_looks);
    for (size_t i = 0; i < WAIT_KINDS; i++)
        if (sum->waits_s[i] > 0)
            set(waits, waits_name((enum wait_kind)i), sum->waits_s[i]);
    json_object_set_new(object, "waits", waits);
}

static double seconds(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

static double share(const struct sums *sums, double part_s)
{
    double all_s = seconds(&sums->total.cost);
    return all_s > 0 ? 100 * part_s / all_s : 0;
}

/* Keys of a row that belong to the whole run. */
static const char *const gone[] = {
    "cpu_samples_list", "lifetimes",   "memory_samples", "n_at_peak_mb",
    "n_copy_mb",        "n_copy_mb_s", "n_gpu_percent",  "n_async_await_percent",
    "n_live_mb",        "n_malloc_mb", "n_peak_mb",      "n_usage_fraction",
};

static void set_row(const struct sums *sums, json_t *row, uint32_t file, bool is_function)
{
    static const struct sum none;
    const uint32_t key[] = {file, (uint32_t)view_number(row, "lineno"), is_function};
    const size_t *id = map_find(&sums->ids, key, sizeof key);
    const struct sum *sum = id ? &sums->all.items[*id] : &none;
    set_seconds(row, sum);
    set(row, "cpu_samples", (double)sum->cost.n_samples);
    uint64_t n_even = (uint64_t)(sums->even * (double)sums->total.cost.n_samples);
    set(row, "cpu_percent_error", report_cost_error(&sum->cost, &sums->total.cost, n_even));
    set(row, "n_cpu_percent_python", share(sums, sum->cost.python_s));
    set(row, "n_cpu_percent_c", share(sums, sum->cost.native_s));
    set(row, "n_sys_percent", share(sums, sum->cost.system_s));
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        json_object_del(row, gone[i]);
}

static void set_file(const struct sums *sums, json_t *file, uint32_t number)
{
    double percent = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "lines"), i, row)
    {
        set_row(sums, row, number, false);
        percent += view_number(row, "n_cpu_percent_python") + view_number(row, "n_cpu_percent_c") +
                   view_number(row, "n_sys_percent");
    }
    json_array_foreach(json_object_get(file, "functions"), i, row)
    {
        set_row(sums, row, number, true);
    }
    json_object_del(file, "leaks");
    set(file, "percent_cpu_time", percent);
}

static void set_profile(const struct sums *sums, json_t *profile, const char *selected)
{
    json_t *run = json_object_get(profile, "scalene");
    const json_t *path, *files = json_object_get(sums->timeline, "files");
    size_t i;
    json_array_foreach(files, i, path)
    {
        json_t *file = json_object_get(json_object_get(profile, "files"), json_string_value(path));
        if (file)
            set_file(sums, file, (uint32_t)i);
    }
    set_seconds(run, &sums->total);
    set(run, "samples", (double)sums->total.cost.n_samples);
    json_object_set_new(run, "selected", json_sprintf("only %s", selected));
    json_object_del(run, "gil");
    json_object_del(run, "memory");
    json_object_del(profile, "max_footprint_mb");
    json_object_del(profile, "samples");
}

/* "thread worker, process 4242" */
static void describe(char *text, size_t room, const struct narrow_wish *wish)
{
    snprintf(text, room, "%s%s%s%s%s", wish->thread ? "thread " : "",
             wish->thread ? wish->thread : "", wish->thread && wish->process ? " of " : "",
             wish->process ? "process " : "", wish->process ? wish->process : "");
}

bool narrow_profile(json_t *profile, const struct narrow_wish *wish, struct err *e)
{
    const json_t *run = json_object_get(profile, "scalene");
    json_t *processes = json_object_get(run, "processes");
    struct sums sums = {.timeline = json_object_get(run, "timeline")};
    const json_t *parts = json_object_get(sums.timeline, "parts");
    size_t n = json_array_size(parts);
    char selected[256];
    if (n == 0)
        return err_set(e, "This profile does not say which thread spent what.");
    describe(selected, sizeof selected, wish);
    double n_samples = view_number(run, "samples"), n_even = view_number(run, "samples_even");
    sums.even = n_samples > 0 && n_even > 0 ? fmin(1, n_even / n_samples) : 1;
    bool *chosen = xcalloc(n, sizeof *chosen);
    bool is_found = choose(processes, wish, chosen, n);
    is_found |= choose_pools(parts, processes, wish, chosen);
    for (size_t i = 0; is_found && i < n; i++)
        if (chosen[i])
            add_part(&sums, json_array_get(parts, i));
    if (is_found) {
        forget_others(processes, chosen, n);
        set_profile(&sums, profile, selected);
    }
    free(chosen);
    vec_fini(&sums.all);
    map_fini(&sums.ids);
    return is_found || err_set(e, "There is no %s in this profile.", selected);
}
