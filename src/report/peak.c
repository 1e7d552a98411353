/* SPDX-License-Identifier: Apache-2.0 */
/* "At the peak": which lines, or what else, held the memory when it was largest. */
#include "report/text_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES    3u
#define LEAST_PART    0.1 /* of the peak */
#define SIZE_COLUMNS  10u
#define PLACE_COLUMNS 28u
#define LEAST_CODE    16u

/* A line, or something that is on none and has only a name. */
struct holder {
    const struct view_file *file;
    const struct view_row *row;
    const char *name;
    double mb;
};

typedef vec_of(struct holder) holders;

/* What is on no line, as the profile calls it and as one says it. */
static const struct {
    const char *key, *name;
} outsides[] = {
    {"exit", "(the interpreter's end)"},
    {"libraries", "(code that is not profiled)"},
    {"native_threads", "(threads without Python)"},
    {"start_up", "(the interpreter's start)"},
};

static int largest_first(const void *a, const void *b)
{
    const struct holder *left = a, *right = b;
    int by_size = (left->mb < right->mb) - (left->mb > right->mb);
    if (by_size || !left->row || !right->row)
        return by_size;
    return (left->row->lineno > right->row->lineno) - (left->row->lineno < right->row->lineno);
}

static void print_holder(struct screen *s, const struct view *v, const struct holder *holder,
                         double peak_mb)
{
    char size[TEXT_BYTES], share[TEXT_BYTES], place[256];
    const struct view_row *row = holder->row;
    if (row)
        snprintf(place, sizeof place, "%.200s:%u", view_short_path(v, holder->file->path),
                 row->lineno);
    else
        snprintf(place, sizeof place, "%s", holder->name);
    size_t n = screen_columns(place, strlen(place));
    screen_right(s, PAINT_MEMORY, text_size(size, holder->mb), SIZE_COLUMNS);
    screen_right(s, PAINT_PLAIN, text_share(share, fmin(100, 100 * holder->mb / peak_mb)), 5);
    screen_blanks(s, 2);
    screen_path(s, row ? PAINT_BOLD : PAINT_PLAIN, place, PLACE_COLUMNS);
    size_t used = SIZE_COLUMNS + 5 + 2 + (n < PLACE_COLUMNS ? n : PLACE_COLUMNS);
    const char *code = row ? row->text : "";
    size_t n_code = row ? row->n_bytes : 0;
    for (; n_code && (*code == ' ' || *code == '\t'); code++)
        n_code--;
    if (n_code && s->columns >= used + 2 + LEAST_CODE) {
        screen_blanks(s, 2);
        screen_put(s, code, n_code, s->columns - used - 2,
                   holder->file->paints + (code - holder->file->text), PAINT_PLAIN);
    }
    screen_newline(s);
}

static void add(holders *all, const struct holder *holder, double peak_mb)
{
    if (holder->mb >= LEAST_PART * peak_mb)
        *vec_push(all) = *holder;
}

static void collect(holders *all, const struct view *v, double peak_mb)
{
    const json_t *memory = json_object_get(json_object_get(v->profile, "scalene"), "memory");
    const json_t *outside = json_object_get(memory, "outside");
    for (size_t i = 0; i < v->files.n; i++)
        for (size_t k = 0; k < v->files.items[i].lines.n; k++) {
            const struct view_row *row = &v->files.items[i].lines.items[k];
            add(all, &(struct holder){&v->files.items[i], row, NULL, row->at_peak_mb}, peak_mb);
        }
    for (size_t i = 0; i < sizeof outsides / sizeof *outsides; i++) {
        double mb = view_number(json_object_get(outside, outsides[i].key), "at_peak_mb");
        add(all, &(struct holder){NULL, NULL, outsides[i].name, mb}, peak_mb);
    }
}

void peak_print(struct screen *s, const struct view *v)
{
    double peak_mb = view_number(v->profile, "max_footprint_mb");
    holders all = {0};
    if (peak_mb >= PEAK_LEAST_MB)
        collect(&all, v, peak_mb);
    if (all.n) {
        qsort(all.items, all.n, sizeof *all.items, largest_first);
        screen_newline(s);
        screen_text(s, PAINT_DIM, "at the peak of memory");
        screen_newline(s);
    }
    for (size_t i = 0; i < all.n && i < MOST_LINES; i++)
        print_holder(s, v, &all.items[i], peak_mb);
    vec_fini(&all);
}
