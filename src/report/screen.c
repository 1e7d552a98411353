/* SPDX-License-Identifier: Apache-2.0 */
/* Writes cut, padded and coloured text, one glyph at a time. */
#include "report/screen.h"

#include "report/glyph.h"
#include "source/utf8.h"

#include <string.h>

static const char *const colours[PAINTS] = {
    [PAINT_PLAIN] = "",         [PAINT_BOLD] = "1",          [PAINT_DIM] = "2",
    [PAINT_HOT] = "1;31",       [PAINT_WARNING] = "33",      [PAINT_PYTHON] = "38;5;32",
    [PAINT_NATIVE] = "38;5;75", [PAINT_SYSTEM] = "38;5;152", [PAINT_MEMORY] = "32",
    [PAINT_KEYWORD] = "35",     [PAINT_STRING] = "32",       [PAINT_COMMENT] = "2;3",
    [PAINT_NUMBER] = "36",      [PAINT_NAME] = "1;34",
};

/* Colours change only between characters that differ, and end with every line. */
static void change_paint(struct screen *s, enum paint paint)
{
    if (!s->has_colour || s->paint == paint)
        return;
    if (s->paint != PAINT_PLAIN)
        fputs("\033[0m", s->out);
    if (paint != PAINT_PLAIN)
        fprintf(s->out, "\033[%sm", colours[paint]);
    s->paint = paint;
}

size_t screen_columns(const char *text, size_t n_bytes)
{
    size_t column = 0;
    for (size_t i = 0; i < n_bytes;) {
        struct glyph glyph;
        i += glyph_next(text + i, n_bytes - i, column, &glyph);
        column += glyph.columns;
    }
    return column;
}

static void put_glyph(struct screen *s, const char *text, const struct glyph *glyph)
{
    if (glyph->is_tab)
        screen_blanks(s, glyph->columns);
    else if (glyph->is_hidden || (s->is_ascii && (unsigned char)*text >= 0x80))
        fputs(s->is_ascii ? "?" : "\xef\xbf\xbd", s->out);
    else
        fwrite(text, 1, glyph->n_bytes, s->out);
}

size_t screen_put(struct screen *s, const char *text, size_t n_bytes, size_t columns,
                  const uint8_t *paints, enum paint paint)
{
    bool is_cut = screen_columns(text, n_bytes) > columns;
    size_t room = is_cut && columns ? columns - 1 : columns;
    size_t column = 0;
    for (size_t i = 0; i < n_bytes;) {
        struct glyph glyph;
        size_t n = glyph_next(text + i, n_bytes - i, column, &glyph);
        if (column + glyph.columns > room)
            break;
        change_paint(s, paints ? (enum paint)paints[i] : paint);
        put_glyph(s, text + i, &glyph);
        column += glyph.columns;
        i += n;
    }
    if (is_cut && columns) {
        change_paint(s, PAINT_DIM);
        fputs(s->is_ascii ? "~" : "…", s->out);
        column++;
    }
    change_paint(s, PAINT_PLAIN);
    return column;
}

void screen_text(struct screen *s, enum paint paint, const char *text)
{
    screen_put(s, text, strlen(text), SIZE_MAX, NULL, paint);
}

void screen_blanks(struct screen *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        putc(' ', s->out);
}

void screen_left(struct screen *s, enum paint paint, const char *text, size_t columns)
{
    size_t n = screen_put(s, text, strlen(text), columns, NULL, paint);
    screen_blanks(s, columns > n ? columns - n : 0);
}

void screen_right(struct screen *s, enum paint paint, const char *text, size_t columns)
{
    size_t n = screen_columns(text, strlen(text));
    screen_blanks(s, columns > n ? columns - n : 0);
    screen_put(s, text, strlen(text), columns, NULL, paint);
}

void screen_path(struct screen *s, enum paint paint, const char *path, size_t columns)
{
    size_t n_bytes = strlen(path);
    size_t width = screen_columns(path, n_bytes);
    if (width > columns && columns) {
        while (n_bytes && width > columns - 1) {
            struct glyph glyph;
            path += glyph_next(path, n_bytes, 0, &glyph);
            n_bytes -= glyph.n_bytes;
            width -= glyph.columns < width ? glyph.columns : width;
        }
        screen_text(s, PAINT_DIM, s->is_ascii ? "~" : "…");
        columns--;
    }
    screen_put(s, path, n_bytes, columns, NULL, paint);
}

void screen_newline(struct screen *s)
{
    change_paint(s, PAINT_PLAIN);
    putc('\n', s->out);
}

void screen_rule(struct screen *s)
{
    change_paint(s, PAINT_DIM);
    for (unsigned i = 0; i < s->columns; i++)
        fputs(s->is_ascii ? "-" : "─", s->out);
    screen_newline(s);
}

const char *screen_plus_minus(const struct screen *s)
{
    return s->is_ascii ? "+-" : "±";
}

void screen_bar(struct screen *s, enum paint paint, size_t n)
{
    static const char *const cells[PAINTS][2] = {
        [PAINT_PYTHON] = {"█", "#"}, [PAINT_NATIVE] = {"▓", "="}, [PAINT_SYSTEM] = {"░", "-"}};
    const char *cell = cells[paint][s->is_ascii];
    if (s->has_colour && !s->is_ascii)
        cell = "█";
    change_paint(s, paint);
    for (size_t i = 0; i < n; i++)
        fputs(cell ? cell : "#", s->out);
    change_paint(s, PAINT_PLAIN);
}

void screen_curve(struct screen *s, enum paint paint, const double *values, size_t n,
                  size_t columns)
{
    static const char *const steps[2][8] = {{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                                            {"_", ".", ",", "-", "=", "+", "*", "#"}};
    double high = 0;
    for (size_t i = 0; i < n; i++)
        high = values[i] > high ? values[i] : high;
    change_paint(s, paint);
    for (size_t i = 0; i < columns; i++) {
        double value = values[i * n / columns];
        size_t step = high > 0 ? (size_t)(7.99 * value / high) : 0;
        fputs(steps[s->is_ascii][step & 7], s->out);
    }
    change_paint(s, PAINT_PLAIN);
}
