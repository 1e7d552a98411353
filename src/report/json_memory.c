/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in the JSON profile: the footprint, its peak, stacks, leaks, and how it was measured. */
#include "report/json_part.h"
#include "report/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

static void write_named(struct json_context *c, const char *key, double value)
{
    write_key(&c->w, key);
    write_number(&c->w, value);
}

static void write_named_count(struct json_context *c, const char *key, uint64_t value)
{
    write_key(&c->w, key);
    write_count(&c->w, value);
}

void json_memory_is_measured(struct json_context *c)
{
    write_bool(&c->w, c->r->heap.is_measured);
}

void json_alloc_samples(struct json_context *c)
{
    write_count(&c->w, c->r->heap.n_blocks);
}

/* What is left of what was allocated. */
void json_growth_rate(struct json_context *c)
{
    const struct profile_memory *total = &c->r->heap.total;
    write_number(&c->w, total->allocated > 0 ? fmin(100, 100 * total->live / total->allocated) : 0);
}

void json_peak_file(struct json_context *c)
{
    if (c->r->heap.peak.path)
        write_text(&c->w, c->r->heap.peak.path);
    else
        write_null(&c->w);
}

void json_peak_line(struct json_context *c)
{
    if (c->r->heap.peak.path)
        write_count(&c->w, c->r->heap.peak.line > 0 ? (uint64_t)c->r->heap.peak.line : 0);
    else
        write_null(&c->w);
}

void json_peak(struct json_context *c)
{
    write_number(&c->w, c->r->heap.peak.bytes / MIB);
}

void json_peak_python(struct json_context *c)
{
    const struct profile_peak *peak = &c->r->heap.peak;
    write_number(&c->w, peak->bytes > 0 ? fmin(1, peak->python / peak->bytes) : 0);
}

void json_outside_memory(struct json_context *c)
{
    write_number(&c->w, c->r->heap.outside.allocated / MIB);
}

void json_footprint(struct json_context *c)
{
    write_points(&c->w, c->r->heap.total.points, c->r->heap.total.n_points);
}

void json_memory_stacks(struct json_context *c)
{
    write_open(&c->w, '[');
    for (size_t i = 0; !c->o->has_no_stacks && i < c->r->heap.n_stacks; i++) {
        write_break(&c->w);
        write_open(&c->w, '[');
        json_frames(c, &c->r->heap.stacks[i].stack);
        write_number(&c->w, c->r->heap.stacks[i].allocated / MIB);
        write_close(&c->w, ']');
    }
    write_close(&c->w, ']');
}

/* Keys are texts and sorted as such. */
static int compare_numbers(const void *a, const void *b)
{
    char left[16], right[16];
    snprintf(left, sizeof left, "%d", (*(const struct profile_line *const *)a)->lineno);
    snprintf(right, sizeof right, "%d", (*(const struct profile_line *const *)b)->lineno);
    return strcmp(left, right);
}

static void write_leak(struct json_context *c, const struct profile_line *line)
{
    char key[16];
    snprintf(key, sizeof key, "%d", line->lineno);
    write_break(&c->w);
    write_key(&c->w, key);
    write_open(&c->w, '{');
    write_named(c, "error_mb_s", line->memory.leak_s_error / MIB);
    write_named(c, "likelihood", line->memory.leak_likelihood);
    write_named(c, "live_mb", line->memory.live / MIB);
    write_named(c, "velocity_mb_s", line->memory.leak_s / MIB);
    write_close(&c->w, '}');
}

void json_leaks(struct json_context *c, const struct profile_file *file)
{
    vec_of(const struct profile_line *) leaking = {0};
    for (size_t i = 0; i < file->n_lines; i++)
        if (file->lines[i].memory.leak_likelihood > 0 && !c->o->has_no_leaks)
            *vec_push(&leaking) = &file->lines[i];
    if (leaking.n)
        qsort(leaking.items, leaking.n, sizeof *leaking.items, compare_numbers);
    write_open(&c->w, '{');
    for (size_t i = 0; i < leaking.n; i++)
        write_leak(c, leaking.items[i]);
    write_close(&c->w, '}');
    vec_fini(&leaking);
}

/* ---- scalene.memory ---- */

static const struct {
    const char *key;
    enum ring_counter counter;
} exact_totals[] = {
    {"copied_mb", COUNTER_COPIED_BYTES},
    {"native_mb", COUNTER_NATIVE_BYTES},
    {"python_mb", COUNTER_PYTHON_BYTES},
};

static uint64_t counter_sum(const struct profile_result *r, enum ring_counter counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->n_processes; i++)
        sum += r->processes[i].counters[counter];
    return sum;
}

static void write_exact(struct json_context *c)
{
    write_open(&c->w, '{');
    for (size_t i = 0; i < sizeof exact_totals / sizeof *exact_totals; i++)
        write_named(c, exact_totals[i].key,
                    (double)counter_sum(c->r, exact_totals[i].counter) / MIB);
    write_close(&c->w, '}');
}

/* What is on no line, by where it belongs; in the order of the keys. */
static const struct {
    const char *key;
    enum profile_outside kind;
} outsides[] = {
    {"exit", OUTSIDE_EXIT},
    {"libraries", OUTSIDE_LIBRARY},
    {"native_threads", OUTSIDE_THREADS},
    {"start_up", OUTSIDE_START_UP},
};

static void write_outsides(struct json_context *c)
{
    write_open(&c->w, '{');
    for (size_t i = 0; i < sizeof outsides / sizeof *outsides; i++) {
        const struct profile_memory *memory = &c->r->heap.outsides[outsides[i].kind];
        write_key(&c->w, outsides[i].key);
        write_open(&c->w, '{');
        write_named(c, "allocated_mb", memory->allocated / MIB);
        write_named(c, "at_peak_mb", memory->at_peak / MIB);
        write_named(c, "live_mb", memory->live / MIB);
        write_close(&c->w, '}');
    }
    write_close(&c->w, '}');
}

void json_process_memory(struct json_context *c, const struct profile_process_memory *memory)
{
    write_open(&c->w, '{');
    write_named(c, "allocated_mb", memory->allocated / MIB);
    write_named(c, "live_mb", memory->live / MIB);
    write_named(c, "peak_mb", memory->peak / MIB);
    write_named(c, "peak_seconds", memory->peak_time_s);
    write_named(c, "pss_peak_mb", memory->shared / MIB);
    write_named(c, "resident_peak_mb", memory->resident / MIB);
    write_close(&c->w, '}');
}

static double leak_speed(const struct profile_result *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->n_files; i++)
        for (size_t k = 0; k < r->files[i].n_lines; k++)
            sum += r->files[i].lines[k].memory.leak_s;
    return sum;
}

void json_memory(struct json_context *c)
{
    const struct profile_heap *heap = &c->r->heap;
    if (!heap->is_measured) {
        write_null(&c->w);
        return;
    }
    write_open(&c->w, '{');
    write_named(c, "allocated_mb", heap->total.allocated / MIB);
    write_named_count(c, "allocations", (uint64_t)llround(heap->total.n_allocations));
    write_named(c, "copied_mb", heap->total.copied / MIB);
    write_named_count(c, "copy_samples", heap->n_copies);
    write_named_count(c, "drops", counter_sum(c->r, COUNTER_DROPPED_ALLOCS));
    write_key(&c->w, "exact");
    write_exact(c);
    write_named(c, "leak_mb_s", leak_speed(c->r) / MIB);
    write_named(c, "live_error_mb", heap->total.live_error / MIB);
    write_named(c, "live_mb", heap->total.live / MIB);
    write_named_count(c, "mean_asked_bytes", heap->asked_mean);
    write_named_count(c, "mean_least_bytes", heap->least_mean);
    write_named_count(c, "mean_most_bytes", heap->most_mean);
    write_named_count(c, "mean_reached_bytes", (uint64_t)llround(heap->reached_mean));
    write_key(&c->w, "outside");
    write_outsides(c);
    write_named(c, "outside_at_peak_mb", heap->outside.at_peak / MIB);
    write_named(c, "outside_live_mb", heap->outside.live / MIB);
    write_named(c, "peak_error_mb", heap->peak.error / MIB);
    write_named(c, "peak_seconds", heap->peak.time_s);
    write_key(&c->w, "pss");
    write_points(&c->w, heap->shared, heap->n_shared);
    write_named(c, "pss_peak_mb", heap->largest_shared / MIB);
    write_key(&c->w, "resident");
    write_points(&c->w, heap->resident, heap->n_resident);
    write_named(c, "resident_peak_mb", heap->largest_resident / MIB);
    write_named_count(c, "samples", heap->n_blocks);
    write_close(&c->w, '}');
}
