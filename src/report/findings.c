/* SPDX-License-Identifier: Apache-2.0 */
/* "Where to look first": the few lines worth a look, in words; none when the samples cannot tell.
 */
#include "report/text_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FINDINGS     5u
#define LEAST_PERCENT    3.0  /* making a smaller line free is not worth a look */
#define LEAK_WEIGHT      20.0 /* a suspected leak ranks with a line of so many percent */
#define LEAST_COPY_MB_S  100.0
#define LEAST_HELD       25.0 /* percent of the peak */
#define HELD_WEIGHT      0.25 /* a percent of the peak ranks with so many of the time */
#define PLACE_COLUMNS    28u
#define FUNCTION_COLUMNS 24u
#define LEAST_CODE       30u

struct finding {
    const struct view_file *file;
    const struct view_row *row;
    char place[256];
    char words[128];
    double weight;
};

typedef vec_of(struct finding) findings;

struct part {
    const char *name;
    double percent;
};

static int largest_first(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    return (left->percent < right->percent) - (left->percent > right->percent);
}

/* What a line's time is made of, as one says it. */
static void describe_kind(char text[TEXT_BYTES], const struct view_row *row)
{
    char waiting[TEXT_BYTES];
    snprintf(waiting, sizeof waiting, "waiting (%s)",
             waits_name(waits_largest(row->waits_s, WAITS_IDLE)));
    struct part parts[] = {{"Python", row->python},
                           {"native", row->native},
                           {"system", row->system - row->idle},
                           {waiting, row->idle}};
    qsort(parts, 4, sizeof *parts, largest_first);
    double share = row->time > 0 ? parts[0].percent / row->time : 0;
    if (share >= 0.9)
        snprintf(text, TEXT_BYTES, "%s", parts[0].name);
    else if (share >= 0.6)
        snprintf(text, TEXT_BYTES, "mostly %s", parts[0].name);
    else
        snprintf(text, TEXT_BYTES, "%s and %s", parts[0].name, parts[1].name);
}

static struct finding *add(findings *all, const struct view *v, const struct view_file *file,
                           const struct view_row *row, double weight)
{
    struct finding *f = vec_push(all);
    f->file = file;
    f->row = row;
    f->weight = weight;
    snprintf(f->place, sizeof f->place, "%.200s:%u", view_short_path(v, file->path), row->lineno);
    return f;
}

static void add_time(findings *all, const struct screen *s, const struct view *v,
                     const struct view_file *file, const struct view_row *row)
{
    char share[TEXT_BYTES], error[TEXT_BYTES], kind[TEXT_BYTES];
    if (row->time < LEAST_PERCENT || text_is_unsure(v, row))
        return;
    struct finding *f = add(all, v, file, row, row->time);
    describe_kind(kind, row);
    text_error(s, error, row);
    snprintf(f->words, sizeof f->words, "%4s%s%s of the time, %s", text_share(share, row->time),
             *error ? " " : "", error, kind);
}

/* "leaks 21MB/s (±2MB/s), 160MB live"; upstream's profiles have no error and no live bytes. */
static void describe_leak(const struct screen *s, char *words, size_t n_bytes, const json_t *leak)
{
    char speed[TEXT_BYTES], error[TEXT_BYTES], live[TEXT_BYTES];
    size_t n = (size_t)snprintf(words, n_bytes, " leaks");
    text_size(speed, view_number(leak, "velocity_mb_s"));
    if (*speed)
        n += (size_t)snprintf(words + n, n_bytes - n, " %s/s", speed);
    if (*text_size(error, view_number(leak, "error_mb_s")))
        n += (size_t)snprintf(words + n, n_bytes - n, " (%s%s)", screen_plus_minus(s), error);
    if (*text_size(live, view_number(leak, "live_mb")))
        snprintf(words + n, n_bytes - n, ", %s live", live);
}

static void add_memory(findings *all, const struct screen *s, const struct view *v,
                       const struct view_file *file, const struct view_row *row)
{
    char size[TEXT_BYTES];
    if (row->leak) {
        struct finding *f = add(all, v, file, row, LEAK_WEIGHT);
        describe_leak(s, f->words, sizeof f->words, row->leak);
    } else if (row->held >= LEAST_HELD &&
               view_number(v->profile, "max_footprint_mb") >= PEAK_LEAST_MB) {
        struct finding *f = add(all, v, file, row, HELD_WEIGHT * row->held);
        snprintf(f->words, sizeof f->words, " holds %s, %d%% of the peak",
                 text_size(size, row->at_peak_mb), (int)lround(row->held));
    }
    if (row->copy_mb_s >= LEAST_COPY_MB_S) {
        struct finding *f = add(all, v, file, row, fmax(LEAST_PERCENT, row->time) * 0.99);
        snprintf(f->words, sizeof f->words, " copies %s/s", text_size(size, row->copy_mb_s));
    }
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    int by_weight = (left->weight < right->weight) - (left->weight > right->weight);
    return by_weight ? by_weight : strcmp(left->place, right->place);
}

static void collect(findings *all, const struct screen *s, const struct view *v)
{
    for (size_t i = 0; i < v->files.n; i++) {
        const struct view_file *file = &v->files.items[i];
        for (size_t k = 0; k < file->lines.n; k++) {
            add_time(all, s, v, file, &file->lines.items[k]);
            add_memory(all, s, v, file, &file->lines.items[k]);
        }
    }
    if (all->n)
        qsort(all->items, all->n, sizeof *all->items, compare_findings);
    all->n = all->n > MAX_FINDINGS ? MAX_FINDINGS : all->n;
}

static const char *function_of(const struct finding *f)
{
    return view_function(f->file, (size_t)(f->row - f->file->lines.items));
}

static size_t widest(size_t so_far, const char *text, size_t limit)
{
    size_t n = screen_columns(text, strlen(text));
    n = n > limit ? limit : n;
    return n > so_far ? n : so_far;
}

static void skip_indent(const char **code, size_t *n_bytes)
{
    while (*n_bytes && (**code == ' ' || **code == '\t')) {
        (*code)++;
        (*n_bytes)--;
    }
}

static void print_list(struct screen *s, const findings *all)
{
    size_t place = 0, function = 0, words = 0;
    for (size_t i = 0; i < all->n; i++) {
        place = widest(place, all->items[i].place, PLACE_COLUMNS);
        function = widest(function, function_of(&all->items[i]), FUNCTION_COLUMNS);
        words = widest(words, all->items[i].words, s->columns);
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct finding *f = &all->items[i];
        char rank[TEXT_BYTES];
        snprintf(rank, sizeof rank, "%zu  ", i + 1);
        screen_text(s, PAINT_DIM, rank);
        size_t n = screen_columns(f->place, strlen(f->place));
        screen_path(s, PAINT_BOLD, f->place, place);
        screen_blanks(s, 2 + (n < place ? place - n : 0));
        screen_left(s, PAINT_PLAIN, function_of(f), function);
        screen_blanks(s, function ? 2 : 0);
        enum paint paint = f->row->time >= 33 ? PAINT_HOT : PAINT_PLAIN;
        size_t used = 3 + place + 2 + function + (function ? 2 : 0);
        const char *code = f->row->text;
        size_t n_code = f->row->n_bytes;
        skip_indent(&code, &n_code);
        if (s->columns < used + words + 3 + LEAST_CODE || n_code == 0) {
            screen_put(s, f->words, strlen(f->words), s->columns - used, NULL, paint);
        } else {
            screen_left(s, paint, f->words, words + 3);
            screen_put(s, code, n_code, s->columns - used - words - 3,
                       f->file->paints + (code - f->file->text), PAINT_PLAIN);
        }
        screen_newline(s);
    }
}

void findings_print(struct screen *s, const struct view *v)
{
    if (v->features & VIEW_SAMPLES && v->n_samples + v->n_looks < RANK_SAMPLES) {
        screen_newline(s);
        screen_text(s, PAINT_WARNING, "Too few samples to say where to look first.");
        screen_text(s, PAINT_PLAIN, " Let the program run longer.");
        screen_newline(s);
        return;
    }
    findings all = {0};
    collect(&all, s, v);
    if (all.n) {
        screen_newline(s);
        screen_text(s, PAINT_DIM, "where to look first");
        screen_newline(s);
        print_list(s, &all);
    }
    vec_fini(&all);
}
