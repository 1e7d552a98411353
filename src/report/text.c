/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the parts of the text view, and words the small numbers they share. */
#include "report/text.h"

#include "report/text_part.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PIPE_COLUMNS 100u
#define MIN_COLUMNS  48u /* the summary needs them; a smaller terminal wraps */
#define MAX_COLUMNS  1000u

char *text_share(char text[TEXT_BYTES], double percent)
{
    *text = '\0';
    if (percent >= 0.95)
        snprintf(text, TEXT_BYTES, "%d%%", (int)lround(percent));
    else if (percent > 0)
        snprintf(text, TEXT_BYTES, "<1%%");
    return text;
}

/* One decimal by integers, because printf's decimal point depends on the locale. */
static void print_tenths(char *text, double value, const char *unit)
{
    long long tenths = llround(value * 10);
    if (tenths >= 100)
        snprintf(text, TEXT_BYTES, "%lld%s", llround(value), unit);
    else
        snprintf(text, TEXT_BYTES, "%lld.%lld%s", tenths / 10, tenths % 10, unit);
}

char *text_megabytes(char text[TEXT_BYTES], double megabytes)
{
    *text = '\0';
    if (megabytes >= 1000 * 1024)
        print_tenths(text, megabytes / (1024 * 1024), "T");
    else if (megabytes >= 1000)
        print_tenths(text, megabytes / 1024, "G");
    else if (megabytes >= 0.05)
        print_tenths(text, megabytes, "M");
    return text;
}

char *text_size(char text[TEXT_BYTES], double megabytes)
{
    *text = '\0';
    if (megabytes >= 1000 * 1024)
        print_tenths(text, megabytes / (1024 * 1024), " TB");
    else if (megabytes >= 1000)
        print_tenths(text, megabytes / 1024, " GB");
    else if (megabytes >= 0.95)
        print_tenths(text, megabytes, " MB");
    else if (megabytes * 1024 >= 0.5)
        snprintf(text, TEXT_BYTES, "%lld KB", llround(megabytes * 1024));
    return text;
}

char *text_seconds(char text[TEXT_BYTES], double seconds)
{
    long long s = llround(seconds), ms = llround(seconds * 1000);
    if (s >= 3600)
        snprintf(text, TEXT_BYTES, "%lld h %lld min", s / 3600, s % 3600 / 60);
    else if (s >= 100)
        snprintf(text, TEXT_BYTES, "%lld min %lld s", s / 60, s % 60);
    else if (ms >= 1000)
        snprintf(text, TEXT_BYTES, "%lld.%02lld s", ms / 1000, ms % 1000 / 10);
    else
        snprintf(text, TEXT_BYTES, "%lld ms", ms);
    return text;
}

char *text_count(char text[TEXT_BYTES], uint64_t n)
{
    char digits[24];
    int n_digits = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *end = text;
    for (int i = 0; i < n_digits; i++) {
        if (i && (n_digits - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = '\0';
    return text;
}

bool text_is_unsure(const struct view *v, const struct view_row *row)
{
    return v->features & VIEW_SAMPLES && row->time > 0 && row->n_samples < SURE_SAMPLES;
}

char *text_error(const struct screen *s, char text[TEXT_BYTES], const struct view_row *row)
{
    *text = '\0';
    if (row->error >= 0.5)
        snprintf(text, TEXT_BYTES, "%s%d", screen_plus_minus(s), (int)lround(row->error));
    return text;
}

bool report_text(const json_t *profile, const struct text_options *o, FILE *out, struct err *e)
{
    struct screen s = {.out = out, .has_colour = o->has_colour, .is_ascii = o->is_ascii};
    s.columns = o->columns ? o->columns : PIPE_COLUMNS;
    s.columns = s.columns < MIN_COLUMNS ? MIN_COLUMNS : s.columns;
    s.columns = s.columns > MAX_COLUMNS ? MAX_COLUMNS : s.columns;
    struct view v;
    errno = 0;
    view_init(&v, profile);
    summary_print(&s, &v);
    findings_print(&s, &v);
    peak_print(&s, &v);
    threads_print(&s, &v);
    gil_print(&s, &v);
    for (size_t i = 0; i < v.files.n; i++)
        table_print(&s, &v, &v.files.items[i], o->lines);
    view_fini(&v);
    if (fflush(out) != 0 || ferror(out))
        return err_set(e, "The view cannot be written: %s.", strerror(errno));
    return true;
}
