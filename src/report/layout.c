/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the line and function tables: what each shows, which ones fit. */
#include "report/layout.h"

#include "report/points.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define HOT_PERCENT  33.0
#define CODE_COLUMNS 64u /* columns that are only nice to have leave the code so much */

struct cell_context {
    const struct screen *s;
    const struct view *v;
};

static void cell_time(const struct cell_context *c, const struct view_row *row, char *text)
{
    char share[TEXT_BYTES];
    /* "<1%" says enough, and in front of "100%" there is no room. */
    bool has_tilde = text_is_unsure(c->v, row) && row->time >= 0.95 && row->time < 99.5;
    snprintf(text, TEXT_BYTES, "%s%s", has_tilde ? "~" : "", text_share(share, row->time));
}

static void cell_error(const struct cell_context *c, const struct view_row *row, char *text)
{
    if (text_is_unsure(c->v, row))
        snprintf(text, TEXT_BYTES, "n=%" PRIu64, row->n_samples);
    else
        text_error(c->s, text, row);
}

static void print_part(char *text, double percent)
{
    if (percent >= 0.5)
        snprintf(text, TEXT_BYTES, "%d", (int)lround(percent));
}

static void cell_python(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    print_part(text, row->python);
}

static void cell_native(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    print_part(text, row->native);
}

static void cell_system(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    print_part(text, row->system);
}

static void cell_seconds(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    long long ms = llround(row->seconds * 1000);
    if (ms > 0)
        snprintf(text, TEXT_BYTES, "%lld.%03lld", ms / 1000, ms % 1000);
}

static void cell_samples(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    if (row->n_samples)
        snprintf(text, TEXT_BYTES, "%" PRIu64, row->n_samples);
}

/* The kind a line waits for most, and how long. */
static void cell_wait(const struct cell_context *c, const struct view_row *row, char *text)
{
    enum wait_kind kind = waits_largest(row->waits_s, WAITS_ALL);
    double seconds = fmin(1e6, row->waits_s[kind]);
    long long tenths = llround(10 * seconds);
    if (seconds <= 0 || seconds < VIEW_LEAST_WAIT * c->v->elapsed_s)
        return;
    if (tenths < 100)
        snprintf(text, TEXT_BYTES, "%s %lld.%lds", waits_name(kind), tenths / 10,
                 (long)(tenths % 10));
    else
        snprintf(text, TEXT_BYTES, "%s %llds", waits_name(kind), llround(seconds));
}

static void cell_await(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    print_part(text, row->await);
}

static void cell_gpu(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    print_part(text, row->gpu);
}

static void cell_peak(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    text_megabytes(text, row->peak_mb);
}

static void cell_alloc(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    text_megabytes(text, row->alloc_mb);
}

/* Above, it would take more room than the column has: it is told in gigabytes. */
#define COPY_MB_S_MAX 9999.5

static void cell_copy(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    if (row->copy_mb_s >= COPY_MB_S_MAX)
        text_megabytes(text, row->copy_mb_s);
    else if (row->copy_mb_s >= 0.5)
        snprintf(text, TEXT_BYTES, "%lld", llround(row->copy_mb_s));
}

static void cell_lineno(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    snprintf(text, TEXT_BYTES, "%u", row->lineno);
}

enum column_kind {
    COLUMN_NUMBER,
    COLUMN_ERROR, /* stands at the left, beside the number it belongs to */
    COLUMN_LINENO,
    COLUMN_BAR,   /* Python, native and system on one scale for all files */
    COLUMN_TREND, /* a curve of memory_samples */
};

/* In the order of the screen. Columns are taken in the order of `rank`, those of one rank together,
 * as long as the code keeps half of the width. */
static const struct column {
    const char *heading;
    unsigned width, needs, rank;
    enum column_kind kind;
    void (*cell)(const struct cell_context *c, const struct view_row *row, char *text);
} columns[] = {
    {"time", 4, 0, 0, COLUMN_NUMBER, cell_time},
    {"", 4, VIEW_SAMPLES, 2, COLUMN_ERROR, cell_error},
    {"", 12, 0, 8, COLUMN_BAR, NULL},
    {"py", 3, 0, 1, COLUMN_NUMBER, cell_python},
    {"nat", 3, 0, 1, COLUMN_NUMBER, cell_native},
    {"sys", 3, 0, 1, COLUMN_NUMBER, cell_system},
    {"wait", 12, VIEW_WAITS, 9, COLUMN_NUMBER, cell_wait},
    {"seconds", 8, VIEW_SAMPLES, 10, COLUMN_NUMBER, cell_seconds},
    {"samples", 7, VIEW_SAMPLES, 11, COLUMN_NUMBER, cell_samples},
    {"await", 5, VIEW_AWAIT, 5, COLUMN_NUMBER, cell_await},
    {"gpu", 3, VIEW_GPU, 5, COLUMN_NUMBER, cell_gpu},
    {"mem", 5, VIEW_MEMORY, 3, COLUMN_NUMBER, cell_peak},
    {"alloc", 5, VIEW_MEMORY, 6, COLUMN_NUMBER, cell_alloc},
    {"trend", 8, VIEW_MEMORY, 7, COLUMN_TREND, NULL},
    {"copy", 4, VIEW_COPY, 4, COLUMN_NUMBER, cell_copy},
    {"line", 5, 0, 0, COLUMN_LINENO, cell_lineno},
};
static_assert(sizeof columns / sizeof *columns == LAYOUT_COLUMNS, "struct layout has them all");

#define LAST_RANK   11u
#define EXTRA_RANK  6u /* from here on only nice to have */
#define BEFORE_CODE 2u

static unsigned width_of(const struct layout *l, size_t i)
{
    return columns[i].kind == COLUMN_LINENO ? l->line_width : columns[i].width;
}

static unsigned digits_of(uint32_t n)
{
    unsigned digits = 1;
    for (; n >= 10; n /= 10)
        digits++;
    return digits;
}

/* The width of all columns of a rank that the profile has something for. */
static unsigned rank_width(const struct layout *l, unsigned rank)
{
    unsigned width = 0;
    for (size_t i = 0; i < LAYOUT_COLUMNS; i++) {
        if (columns[i].rank == rank && (columns[i].needs & ~l->v->features) == 0)
            width += width_of(l, i) + 1;
    }
    return width;
}

void layout_init(struct layout *l, struct screen *s, const struct view *v, const view_rows *lines)
{
    *l = (struct layout){.s = s, .v = v};
    l->line_width = lines->n ? digits_of(lines->items[lines->n - 1].lineno) : 1;
    l->line_width = l->line_width < 5 ? 5 : l->line_width;
    l->code_width = l->s->columns + 1 - BEFORE_CODE; /* no blank follows the last column */
    for (unsigned rank = 0; rank <= LAST_RANK; rank++) {
        unsigned least = l->s->columns / 2;
        if (rank >= EXTRA_RANK && least < CODE_COLUMNS)
            least = CODE_COLUMNS;
        unsigned width = rank_width(l, rank);
        if (rank > 0 && l->code_width < least + width)
            continue;
        l->code_width -= width;
        for (size_t i = 0; i < LAYOUT_COLUMNS; i++)
            l->is_shown[i] |= columns[i].rank == rank && (columns[i].needs & ~l->v->features) == 0;
    }
}

static void print_trend(const struct layout *l, const struct view_row *row, unsigned width)
{
    double cells[POINTS_CELLS];
    if (points_curve(row->memory_samples, l->v->elapsed_s, cells, width))
        screen_curve(l->s, PAINT_MEMORY, cells, width, width);
    else
        screen_blanks(l->s, width);
}

enum paint layout_paint(const struct layout *l, const struct view_row *row)
{
    if (row->time + row->gpu >= HOT_PERCENT || row->usage >= HOT_PERCENT)
        return text_is_unsure(l->v, row) ? PAINT_DIM : PAINT_HOT;
    return text_is_unsure(l->v, row) ? PAINT_DIM : PAINT_PLAIN;
}

static void print_bar(const struct layout *l, const struct view_row *row, unsigned width)
{
    double scale = l->v->largest > 0 ? width / l->v->largest : 0;
    double until = 0;
    size_t drawn = 0;
    const double parts[] = {row->python, row->native, row->system};
    static const enum paint paints[] = {PAINT_PYTHON, PAINT_NATIVE, PAINT_SYSTEM};
    for (size_t i = 0; i < 3; i++) {
        until += parts[i] * scale;
        size_t cells = (size_t)fmin(width, round(until));
        screen_bar(l->s, paints[i], cells > drawn ? cells - drawn : 0);
        drawn = cells > drawn ? cells : drawn;
    }
    screen_blanks(l->s, width - drawn);
}

static void print_cell(const struct layout *l, size_t i, const struct view_row *row,
                       enum paint paint)
{
    struct cell_context c = {l->s, l->v};
    char text[TEXT_BYTES] = "";
    unsigned width = width_of(l, i);
    if (columns[i].cell)
        columns[i].cell(&c, row, text);
    switch (columns[i].kind) {
    case COLUMN_BAR:
        print_bar(l, row, width);
        break;
    case COLUMN_TREND:
        print_trend(l, row, width);
        break;
    case COLUMN_ERROR:
        screen_left(l->s, paint == PAINT_PLAIN ? PAINT_DIM : paint, text, width);
        break;
    case COLUMN_LINENO:
        screen_right(l->s, paint == PAINT_PLAIN ? PAINT_DIM : paint, text, width);
        break;
    case COLUMN_NUMBER:
        screen_right(l->s, paint, text, width);
        break;
    }
}

/* A row: its numbers, then its code or name. A row without code ends with its line number, so that
 * no line of the output ends with blanks. */
void layout_row(const struct layout *l, const struct view_row *row, enum paint paint,
                const uint8_t *paints, enum paint code_paint)
{
    for (size_t i = 0; i < LAYOUT_COLUMNS; i++) {
        if (!l->is_shown[i])
            continue;
        print_cell(l, i, row, paint);
        screen_blanks(l->s, i + 1 < LAYOUT_COLUMNS);
    }
    if (row->n_bytes) {
        screen_blanks(l->s, BEFORE_CODE);
        screen_put(l->s, row->text, row->n_bytes, l->code_width, paints, code_paint);
    }
    screen_newline(l->s);
}

void layout_heading(const struct layout *l, const char *last)
{
    for (size_t i = 0; i < LAYOUT_COLUMNS; i++) {
        if (!l->is_shown[i])
            continue;
        screen_right(l->s, PAINT_DIM, columns[i].heading, width_of(l, i));
        screen_blanks(l->s, i + 1 < LAYOUT_COLUMNS);
    }
    screen_blanks(l->s, BEFORE_CODE);
    screen_text(l->s, PAINT_DIM, last);
    screen_newline(l->s);
}

void layout_gap(const struct layout *l)
{
    size_t indent = 0;
    for (size_t i = 0; i < LAYOUT_COLUMNS; i++)
        indent += l->is_shown[i] ? width_of(l, i) + 1 : 0;
    screen_right(l->s, PAINT_DIM, "...", indent - 1);
    screen_newline(l->s);
}
