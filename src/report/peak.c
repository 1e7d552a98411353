/* SPDX-License-Identifier: Apache-2.0 */
/* "At the peak": which lines held the memory when it was largest. */
#include "report/text_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES    3u
#define LEAST_PART    0.1  /* of the peak */
#define LEAST_PEAK_MB 10.0 /* as much as Python itself: a smaller program has no question here */
#define SIZE_COLUMNS  10u
#define PLACE_COLUMNS 28u
#define LEAST_CODE    16u

struct holder {
    const struct view_file *file;
    const struct view_row *row;
};

static int largest_first(const void *a, const void *b)
{
    const struct view_row *left = ((const struct holder *)a)->row;
    const struct view_row *right = ((const struct holder *)b)->row;
    int by_size = (left->at_peak_mb < right->at_peak_mb) - (left->at_peak_mb > right->at_peak_mb);
    return by_size ? by_size : (left->lineno > right->lineno) - (left->lineno < right->lineno);
}

static void print_holder(struct screen *s, const struct view *v, const struct holder *holder,
                         double peak_mb)
{
    char size[TEXT_BYTES], share[TEXT_BYTES], place[256];
    const struct view_row *row = holder->row;
    snprintf(place, sizeof place, "%.200s:%u", view_short_path(v, holder->file->path), row->lineno);
    size_t n = screen_columns(place, strlen(place));
    screen_right(s, PAINT_MEMORY, text_size(size, row->at_peak_mb), SIZE_COLUMNS);
    screen_right(s, PAINT_PLAIN, text_share(share, fmin(100, 100 * row->at_peak_mb / peak_mb)), 5);
    screen_blanks(s, 2);
    screen_path(s, PAINT_BOLD, place, PLACE_COLUMNS);
    size_t used = SIZE_COLUMNS + 5 + 2 + (n < PLACE_COLUMNS ? n : PLACE_COLUMNS);
    const char *code = row->text;
    size_t n_code = row->n_bytes;
    for (; n_code && (*code == ' ' || *code == '\t'); code++)
        n_code--;
    if (n_code && s->columns >= used + 2 + LEAST_CODE) {
        screen_blanks(s, 2);
        screen_put(s, code, n_code, s->columns - used - 2,
                   holder->file->paints + (code - holder->file->text), PAINT_PLAIN);
    }
    screen_newline(s);
}

void peak_print(struct screen *s, const struct view *v)
{
    double peak_mb = view_number(v->profile, "max_footprint_mb");
    vec_of(struct holder) holders = {0};
    for (size_t i = 0; i < v->files.n && peak_mb >= LEAST_PEAK_MB; i++)
        for (size_t k = 0; k < v->files.items[i].lines.n; k++)
            if (v->files.items[i].lines.items[k].at_peak_mb >= LEAST_PART * peak_mb)
                *vec_push(&holders) =
                    (struct holder){&v->files.items[i], &v->files.items[i].lines.items[k]};
    if (holders.n) {
        qsort(holders.items, holders.n, sizeof *holders.items, largest_first);
        screen_newline(s);
        screen_text(s, PAINT_DIM, "at the peak of memory");
        screen_newline(s);
    }
    for (size_t i = 0; i < holders.n && i < MOST_LINES; i++)
        print_holder(s, v, &holders.items[i], peak_mb);
    vec_fini(&holders);
}
