/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a file: which of its lines and functions are shown. */
#include "report/layout.h"
#include "report/text_part.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_PERCENT  1.0
#define HELD_PERCENT   5.0 /* of the peak of memory */
#define MOST_FUNCTIONS 10u

struct table {
    struct screen *s;
    const struct view *v;
    const struct view_file *file;
    enum text_lines lines;
    struct layout layout;
};

/* Whether a line begins a loop, function or class: it says where its lines are. */
static bool is_header(const struct view_file *file, const struct view_row *line)
{
    size_t index = (size_t)(line - file->lines.items);
    uint32_t i = index < file->outline.n_lines ? file->outline.innermost[index] : BLOCK_NONE;
    return i != BLOCK_NONE && file->outline.blocks.items[i].start_line == index + 1;
}

static void print_line(const struct table *t, const struct view_row *line)
{
    static const char no_text[] = "(no source)";
    enum paint paint = layout_paint(&t->layout, line);
    if (!t->file->has_text) {
        struct view_row row = *line;
        row.text = no_text;
        row.n_bytes = sizeof no_text - 1;
        layout_row(&t->layout, &row, paint, NULL, PAINT_DIM);
        return;
    }
    const uint8_t *paints = t->file->paints + (line->text - t->file->text);
    bool is_context = t->lines == TEXT_LINES_USUAL && !line->is_active && !is_header(t->file, line);
    bool has_own_colours = !is_context && paint != PAINT_HOT;
    layout_row(&t->layout, line, paint, has_own_colours ? paints : NULL,
               is_context ? PAINT_DIM : paint);
}

static bool is_notable(const struct view_row *row)
{
    return row->time >= SHOWN_PERCENT || row->usage >= SHOWN_PERCENT || row->gpu >= 1 ||
           row->await >= 1 || row->copy_mb_s >= 1 || row->held >= HELD_PERCENT || row->leak;
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

static void print_lines(const struct table *t)
{
    const view_rows *rows = &t->file->lines;
    uint8_t *marks = xrealloc(NULL, rows->n);
    memset(marks, 0, rows->n);
    mark_lines(t->file, t->lines, marks);
    uint32_t next = 1;
    bool has_any = false;
    for (size_t i = 0; i < rows->n; i++) {
        if (!marks[i])
            continue;
        if (rows->items[i].lineno > next && has_any)
            layout_gap(&t->layout);
        print_line(t, &rows->items[i]);
        next = rows->items[i].lineno + 1;
        has_any = true;
    }
    free(marks);
}

static void print_functions(const struct table *t)
{
    const view_rows *rows = &t->file->functions;
    bool is_usual = t->lines == TEXT_LINES_USUAL;
    size_t n = 0, most = is_usual ? MOST_FUNCTIONS : rows->n;
    for (size_t i = 0; i < rows->n && n < most; i++) {
        const struct view_row *row = &rows->items[i];
        if (!(is_usual ? is_notable(row) : row->is_active))
            continue;
        if (n++ == 0) {
            screen_newline(t->s);
            layout_heading(&t->layout, "function");
        }
        enum paint paint = layout_paint(&t->layout, row);
        layout_row(&t->layout, row, paint, NULL, paint);
    }
}

static void print_title(const struct table *t)
{
    char share[TEXT_BYTES], seconds[TEXT_BYTES], text[3 * TEXT_BYTES];
    const struct view *v = t->v;
    text_share(share, t->file->percent);
    text_seconds(seconds, (v->cpu_s + v->idle_s) * t->file->percent / 100);
    bool has_seconds = v->cpu_s + v->idle_s > 0;
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
    struct table t = {.s = s, .v = v, .file = file, .lines = lines};
    layout_init(&t.layout, s, v, &file->lines);
    print_title(&t);
    layout_heading(&t.layout, "code");
    print_lines(&t);
    print_functions(&t);
}
