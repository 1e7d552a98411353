/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a file: its columns, and which of its lines are shown. */
#include "report/text_part.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_PERCENT  1.0
#define HOT_PERCENT    33.0
#define MOST_FUNCTIONS 10u
#define CODE_COLUMNS   64u /* columns that are only nice to have leave the code so much */

struct cell_context {
    const struct screen *s;
    const struct view *v;
};

static void cell_time(const struct cell_context *c, const struct view_row *row, char *text)
{
    char share[TEXT_BYTES];
    bool is_unsure = text_is_unsure(c->v, row);
    snprintf(text, TEXT_BYTES, "%s%s", is_unsure ? "~" : "", text_share(share, row->time));
    if (is_unsure && row->time < 0.95)
        text_share(text, row->time);
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

static void cell_copy(const struct cell_context *c, const struct view_row *row, char *text)
{
    (void)c;
    if (row->copy_mb_s >= 0.5)
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
    {"seconds", 8, VIEW_SAMPLES, 9, COLUMN_NUMBER, cell_seconds},
    {"samples", 7, VIEW_SAMPLES, 10, COLUMN_NUMBER, cell_samples},
    {"await", 5, VIEW_AWAIT, 5, COLUMN_NUMBER, cell_await},
    {"gpu", 3, VIEW_GPU, 5, COLUMN_NUMBER, cell_gpu},
    {"mem", 5, VIEW_MEMORY, 3, COLUMN_NUMBER, cell_peak},
    {"alloc", 5, VIEW_MEMORY, 6, COLUMN_NUMBER, cell_alloc},
    {"trend", 8, VIEW_MEMORY, 7, COLUMN_TREND, NULL},
    {"copy", 4, VIEW_COPY, 4, COLUMN_NUMBER, cell_copy},
    {"line", 5, 0, 0, COLUMN_LINENO, cell_lineno},
};
#define N_COLUMNS   (sizeof columns / sizeof *columns)
#define LAST_RANK   10u
#define EXTRA_RANK  6u /* from here on only nice to have */
#define BEFORE_CODE 2u

struct table {
    struct screen *s;
    const struct view *v;
    const struct view_file *file;
    bool is_shown[N_COLUMNS];
    unsigned line_width;
    unsigned code_width;
};

static unsigned width_of(const struct table *t, size_t i)
{
    return columns[i].kind == COLUMN_LINENO ? t->line_width : columns[i].width;
}

static unsigned digits_of(uint32_t n)
{
    unsigned digits = 1;
    for (; n >= 10; n /= 10)
        digits++;
    return digits;
}

/* The width of all columns of a rank that the profile has something for. */
static unsigned rank_width(const struct table *t, unsigned rank)
{
    unsigned width = 0;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (columns[i].rank == rank && (columns[i].needs & ~t->v->features) == 0)
            width += width_of(t, i) + 1;
    }
    return width;
}

static void choose_columns(struct table *t)
{
    const view_rows *lines = &t->file->lines;
    t->line_width = lines->n ? digits_of(lines->items[lines->n - 1].lineno) : 1;
    t->line_width = t->line_width < 5 ? 5 : t->line_width;
    t->code_width = t->s->columns + 1 - BEFORE_CODE; /* no blank follows the last column */
    for (unsigned rank = 0; rank <= LAST_RANK; rank++) {
        unsigned least = t->s->columns / 2;
        if (rank >= EXTRA_RANK && least < CODE_COLUMNS)
            least = CODE_COLUMNS;
        unsigned width = rank_width(t, rank);
        if (rank > 0 && t->code_width < least + width)
            continue;
        t->code_width -= width;
        for (size_t i = 0; i < N_COLUMNS; i++)
            t->is_shown[i] |= columns[i].rank == rank && (columns[i].needs & ~t->v->features) == 0;
    }
}

static void print_trend(const struct table *t, const struct view_row *row, unsigned width)
{
    double values[100];
    size_t n = row->memory_samples ? json_array_size(row->memory_samples) : 0;
    n = n > 100 ? 100 : n;
    for (size_t i = 0; i < n; i++) {
        double value = json_number_value(json_array_get(json_array_get(row->memory_samples, i), 1));
        values[i] = isfinite(value) ? fmin(1e12, fmax(0, value)) : 0;
    }
    if (n)
        screen_curve(t->s, PAINT_MEMORY, values, n, width);
    else
        screen_blanks(t->s, width);
}

static enum paint row_paint(const struct table *t, const struct view_row *row)
{
    if (row->time + row->gpu >= HOT_PERCENT || row->usage >= HOT_PERCENT)
        return text_is_unsure(t->v, row) ? PAINT_DIM : PAINT_HOT;
    return text_is_unsure(t->v, row) ? PAINT_DIM : PAINT_PLAIN;
}

static void print_bar(const struct table *t, const struct view_row *row, unsigned width)
{
    double scale = t->v->largest > 0 ? width / t->v->largest : 0;
    double until = 0;
    size_t drawn = 0;
    const double parts[] = {row->python, row->native, row->system};
    static const enum paint paints[] = {PAINT_PYTHON, PAINT_NATIVE, PAINT_SYSTEM};
    for (size_t i = 0; i < 3; i++) {
        until += parts[i] * scale;
        size_t cells = (size_t)fmin(width, round(until));
        screen_bar(t->s, paints[i], cells > drawn ? cells - drawn : 0);
        drawn = cells > drawn ? cells : drawn;
    }
    screen_blanks(t->s, width - drawn);
}

static void print_cell(const struct table *t, size_t i, const struct view_row *row,
                       enum paint paint)
{
    struct cell_context c = {t->s, t->v};
    char text[TEXT_BYTES] = "";
    unsigned width = width_of(t, i);
    if (columns[i].cell)
        columns[i].cell(&c, row, text);
    switch (columns[i].kind) {
    case COLUMN_BAR:
        print_bar(t, row, width);
        break;
    case COLUMN_TREND:
        print_trend(t, row, width);
        break;
    case COLUMN_ERROR:
        screen_left(t->s, paint == PAINT_PLAIN ? PAINT_DIM : paint, text, width);
        break;
    case COLUMN_LINENO:
        screen_right(t->s, paint == PAINT_PLAIN ? PAINT_DIM : paint, text, width);
        break;
    case COLUMN_NUMBER:
        screen_right(t->s, paint, text, width);
        break;
    }
}

/* A row: its numbers, then its code or name. A row without code ends with its line number, so that
 * no line of the output ends with blanks. */
static void print_row(const struct table *t, const struct view_row *row, enum paint paint,
                      const uint8_t *paints, enum paint code_paint)
{
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (!t->is_shown[i])
            continue;
        print_cell(t, i, row, paint);
        screen_blanks(t->s, i + 1 < N_COLUMNS);
    }
    if (row->n_bytes) {
        screen_blanks(t->s, BEFORE_CODE);
        screen_put(t->s, row->text, row->n_bytes, t->code_width, paints, code_paint);
    }
    screen_newline(t->s);
}

static void print_line(const struct table *t, const struct view_row *line)
{
    static const char no_text[] = "(no source)";
    enum paint paint = row_paint(t, line);
    if (!t->file->has_text) {
        struct view_row row = *line;
        row.text = no_text;
        row.n_bytes = sizeof no_text - 1;
        print_row(t, &row, paint, NULL, PAINT_DIM);
        return;
    }
    const uint8_t *paints = t->file->paints + (line->text - t->file->text);
    bool has_own_colours = line->is_active && paint != PAINT_HOT;
    print_row(t, line, paint, has_own_colours ? paints : NULL, line->is_active ? paint : PAINT_DIM);
}

static void print_heading(const struct table *t, const char *last)
{
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (!t->is_shown[i])
            continue;
        screen_right(t->s, PAINT_DIM, columns[i].heading, width_of(t, i));
        screen_blanks(t->s, i + 1 < N_COLUMNS);
    }
    screen_blanks(t->s, BEFORE_CODE);
    screen_text(t->s, PAINT_DIM, last);
    screen_newline(t->s);
}

static void print_gap(const struct table *t)
{
    size_t indent = 0;
    for (size_t i = 0; i < N_COLUMNS; i++)
        indent += t->is_shown[i] ? width_of(t, i) + 1 : 0;
    screen_right(t->s, PAINT_DIM, "...", indent - 1);
    screen_newline(t->s);
}

static bool is_notable(const struct view_row *row)
{
    return row->time >= SHOWN_PERCENT || row->usage >= SHOWN_PERCENT || row->gpu >= 1 ||
           row->await >= 1 || row->copy_mb_s >= 1;
}

/* Marks the headers of all blocks around a line: they say where it is. */
static void mark_headers(const struct view_file *file, size_t index, uint8_t *marks)
{
    const struct outline *o = &file->outline;
    uint32_t i = index < o->n_lines ? o->innermost[index] : BLOCK_NONE;
    for (; i != BLOCK_NONE; i = o->blocks.items[i].parent)
        marks[o->blocks.items[i].start_line - 1] = 1;
}

static void mark_lines(const struct view_file *file, enum text_lines lines, uint8_t *marks)
{
    size_t n = file->lines.n;
    for (size_t i = 0; i < n; i++) {
        const struct view_row *row = &file->lines.items[i];
        if (lines == TEXT_LINES_ALL || (lines == TEXT_LINES_REDUCED && row->is_active))
            marks[i] = 1;
        if (lines != TEXT_LINES_USUAL || !is_notable(row))
            continue;
        marks[i] = 1;
        mark_headers(file, i, marks);
        if (i > 0 && file->lines.items[i - 1].n_bytes)
            marks[i - 1] = 1;
        if (i + 1 < n && file->lines.items[i + 1].n_bytes)
            marks[i + 1] = 1;
    }
    for (size_t i = 1; lines == TEXT_LINES_USUAL && i + 1 < n; i++) {
        if (marks[i - 1] & marks[i + 1] & 1) /* a gap row would take as much room */
            marks[i] |= 2;
    }
}

static void print_lines(const struct table *t, enum text_lines lines)
{
    const view_rows *rows = &t->file->lines;
    uint8_t *marks = xrealloc(NULL, rows->n);
    memset(marks, 0, rows->n);
    mark_lines(t->file, lines, marks);
    uint32_t next = 1;
    bool has_any = false;
    for (size_t i = 0; i < rows->n; i++) {
        if (!marks[i])
            continue;
        if (rows->items[i].lineno > next && has_any)
            print_gap(t);
        print_line(t, &rows->items[i]);
        next = rows->items[i].lineno + 1;
        has_any = true;
    }
    free(marks);
}

static void print_functions(const struct table *t, enum text_lines lines)
{
    const view_rows *rows = &t->file->functions;
    size_t n = 0;
    while (n < rows->n && (lines != TEXT_LINES_USUAL || n < MOST_FUNCTIONS) &&
           (lines == TEXT_LINES_USUAL ? is_notable(&rows->items[n]) : rows->items[n].is_active))
        n++;
    if (n == 0)
        return;
    screen_newline(t->s);
    print_heading(t, "function");
    for (size_t i = 0; i < n; i++) {
        const struct view_row *row = &rows->items[i];
        enum paint paint = row_paint(t, row);
        print_row(t, row, paint, NULL, paint);
    }
}

static void print_title(const struct table *t)
{
    char share[TEXT_BYTES], seconds[TEXT_BYTES], text[3 * TEXT_BYTES];
    const struct view *v = t->v;
    text_share(share, t->file->percent);
    text_seconds(seconds, v->cpu_s * t->file->percent / 100);
    bool has_seconds = v->cpu_s > 0;
    snprintf(text, sizeof text, "%s of the time%s%s", *share ? share : "0%",
             has_seconds ? ", " : "", has_seconds ? seconds : "");
    size_t n = strlen(text), room = t->s->columns - n - 2;
    const char *path = view_short_path(v, t->file->path);
    size_t used = screen_columns(path, strlen(path));
    screen_newline(t->s);
    screen_path(t->s, PAINT_BOLD, path, room);
    screen_blanks(t->s, 2 + (used < room ? room - used : 0));
    screen_text(t->s, PAINT_PLAIN, text);
    screen_newline(t->s);
    screen_rule(t->s);
}

void table_print(struct screen *s, const struct view *v, const struct view_file *file,
                 enum text_lines lines)
{
    struct table t = {.s = s, .v = v, .file = file};
    choose_columns(&t);
    print_title(&t);
    print_heading(&t, "code");
    print_lines(&t, lines);
    print_functions(&t, lines);
}
