/* SPDX-License-Identifier: Apache-2.0 */
/* The help of a subcommand, printed from its table of options. */
#include "cli/options.h"

#include <string.h>

#define HELP_COLUMNS 80
#define HELP_INDENT  30 /* where the explanations stand */

/* Prints words from column `column` on, continuing at `indent`; ends the line. */
static void print_wrapped(FILE *out, const char *text, size_t column, size_t indent)
{
    bool is_first = true;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (!is_first && column + 1 + n > HELP_COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
        is_first = false;
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct option *option)
{
    char left[96], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c%s", option->letter, option->name ? ", " : "");
    int n = snprintf(left, sizeof left, "  %s%s%s%s%s", letter, option->name ? "--" : "",
                     option->name ? option->name : "", option->value ? " " : "",
                     option->value ? option->value : "");
    size_t width = n < 0 ? 0 : (size_t)n;
    fputs(left, out);
    if (width + 2 > HELP_INDENT) {
        fputc('\n', out);
        width = 0;
    }
    fprintf(out, "%*s", (int)(HELP_INDENT - width), "");
    print_wrapped(out, option->help, HELP_INDENT, HELP_INDENT);
}

static void print_section(const struct option_table *table, enum option_shown shown,
                          const char *title, FILE *out)
{
    const struct option *option;
    bool has_title = false;
    for (size_t i = 0; (option = options_at(table, i)); i++) {
        if (option->shown != shown)
            continue;
        if (!has_title)
            fprintf(out, "\n%s:\n", title);
        has_title = true;
        print_option(out, option);
    }
}

void options_help(const struct option_table *table, bool is_advanced, FILE *out)
{
    fprintf(out, "Usage: scalene %s\n\n", table->usage);
    print_wrapped(out, table->about, 0, 0);
    print_section(table, SHOWN, "Options", out);
    if (is_advanced)
        print_section(table, SHOWN_ADVANCED, "Advanced options", out);
}
