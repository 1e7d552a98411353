/* SPDX-License-Identifier: Apache-2.0 */
/* The profile goes into the page between the tags of an element that waits for it (view/README.md).
 *
 * Inside a script element HTML looks for one thing only: a '<', which may end it or begin a comment
 * that hides its end. In JSON a '<' can only stand in a string, where \u003c means the same; so
 * none is left, and no name, path or line of code can be taken for HTML. */
#include "report/html.h"

#include <string.h>

/* Copies the page up to the end of `mark`; false: the page has no such place. */
static bool copy_through(const char **at, const char *end, const char *mark, FILE *out)
{
    const char *found = memmem(*at, (size_t)(end - *at), mark, strlen(mark));
    if (!found)
        return false;
    const char *after = found + strlen(mark);
    fwrite(*at, 1, (size_t)(after - *at), out);
    *at = after;
    return true;
}

/* The line separators that JSON allows in strings and older JavaScript does not: E2 80 A8 and A9.
 */
static void put_separator(int last, FILE *out)
{
    fprintf(out, "\\u202%c", last == 0xa8 ? '8' : '9');
}

static void put_escaped(FILE *json, FILE *out)
{
    int c, n_held = 0; /* how many bytes of a separator were seen and not yet written */
    while ((c = getc_unlocked(json)) != EOF) {
        if ((n_held == 0 && c == 0xe2) || (n_held == 1 && c == 0x80)) {
            n_held++;
            continue;
        }
        if (n_held == 2 && (c == 0xa8 || c == 0xa9)) {
            put_separator(c, out);
            n_held = 0;
            continue;
        }
        fwrite("\xe2\x80", 1, (size_t)n_held, out);
        n_held = c == 0xe2;
        if (c == '<')
            fputs("\\u003c", out);
        else if (!n_held)
            putc_unlocked(c, out);
    }
    fwrite("\xe2\x80", 1, (size_t)n_held, out);
}

bool report_html(const char *page, size_t n_page, FILE *profile, FILE *compare, FILE *out,
                 struct err *e)
{
    const char *at = page, *end = page + n_page;
    if (!copy_through(&at, end, "<script type=\"application/json\" id=\"profile\">", out))
        return err_set(e, "this build of scalene has no page to put a profile into.");
    put_escaped(profile, out);
    if (compare) {
        if (!copy_through(&at, end, "<script type=\"application/json\" id=\"compare\">", out))
            return err_set(e, "this build of scalene has a page that cannot compare.");
        put_escaped(compare, out);
    }
    fwrite(at, 1, (size_t)(end - at), out);
    if (ferror(profile) || (compare && ferror(compare)))
        return err_set(e, "cannot read the profile again.");
    return true;
}
