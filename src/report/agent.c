/* SPDX-License-Identifier: Apache-2.0 */
/* The profile as facts for whoever cannot see a table: each line with what was measured on it, how
 * sure that is, and its source. Every section is made whole and printed only if it still fits. */
#include "report/agent.h"

#include "report/text_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Code and numbers take more tokens than prose; this errs on the safe side of what tokenizers do.
 */
#define BYTES_PER_TOKEN 3u
#define LEAST_PERCENT   1.0
#define LEAK_WEIGHT     20.0 /* a suspected leak ranks with a line of so many percent */
#define LEAST_COPY_MB_S 10.0
#define LEAST_USAGE     5.0 /* percent of all allocated bytes */
#define AROUND          2u  /* lines of source before and after */
#define MAX_CODE        160 /* bytes of one line of source */

struct fact {
    const struct view_file *file;
    size_t line; /* index in file->lines */
    const json_t *leak;
    double weight;
};

typedef vec_of(struct fact) facts;

/* A section in the making. */
struct section {
    char *text;
    size_t n;
    FILE *out;
};

static void section_open(struct section *s)
{
    s->out = open_memstream(&s->text, &s->n);
}

/* Prints it if there is room for it; whether there was. */
static bool section_close(struct section *s, size_t *room, FILE *out)
{
    fclose(s->out);
    bool fits = s->n <= *room;
    if (fits) {
        fwrite(s->text, 1, s->n, out);
        *room -= s->n;
    }
    free(s->text);
    return fits;
}

static const struct view_row *row_of(const struct fact *f)
{
    return &f->file->lines.items[f->line];
}

static void add_fact(facts *all, const struct view_file *file, size_t i)
{
    const struct view_row *row = &file->lines.items[i];
    char key[16];
    snprintf(key, sizeof key, "%u", row->lineno);
    struct fact f = {.file = file, .line = i, .leak = json_object_get(file->leaks, key)};
    f.weight = row->time >= LEAST_PERCENT ? row->time : 0;
    if (json_is_object(f.leak))
        f.weight = fmax(f.weight, LEAK_WEIGHT);
    if (row->usage >= LEAST_USAGE)
        f.weight = fmax(f.weight, 0.15 * row->usage);
    if (row->copy_mb_s >= LEAST_COPY_MB_S)
        f.weight = fmax(f.weight, 3);
    if (f.weight > 0)
        *vec_push(all) = f;
}

static int heaviest_first(const void *a, const void *b)
{
    const struct fact *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    int by_path = strcmp(left->file->path, right->file->path);
    return by_path ? by_path : (left->line > right->line) - (left->line < right->line);
}

static void collect(facts *all, const struct view *v)
{
    for (size_t i = 0; i < v->files.n; i++)
        for (size_t k = 0; k < v->files.items[i].lines.n; k++)
            add_fact(all, &v->files.items[i], k);
    if (all->n)
        qsort(all->items, all->n, sizeof *all->items, heaviest_first);
}

static void print_head(FILE *out, const struct view *v)
{
    char text[TEXT_BYTES];
    double peak_mb = view_number(v->profile, "max_footprint_mb");
    fprintf(out, "# Profile of %s\n\n", view_short_path(v, view_text(v->profile, "program")));
    fprintf(out, "- wall time %s", text_seconds(text, v->elapsed_s));
    if (v->n_samples)
        fprintf(out, ", CPU %s, %llu samples", text_seconds(text, v->cpu_s),
                (unsigned long long)v->n_samples);
    fprintf(out, "\n- of the time: Python %.0f%%, native %.0f%%, system and waiting %.0f%%\n",
            v->python, v->native, v->system);
    if (peak_mb > 0)
        fprintf(out, "- peak memory %s\n", text_size(text, peak_mb));
    if (v->features & VIEW_SAMPLES && v->n_samples + v->n_looks < RANK_SAMPLES)
        fputs("- TOO FEW SAMPLES to rank lines: run the program longer\n", out);
    fputs("\nShares are of the program's whole time; ± is a 95% interval. Change the first lines "
          "first.\n",
          out);
}

/* "33% ±3 of the time (native 33)" */
static void print_time(FILE *out, const struct view *v, const struct view_row *row)
{
    const struct {
        const char *name;
        double percent;
    } parts[] = {{"Python", row->python},
                 {"native", row->native},
                 {"system", row->system - row->idle},
                 {"waiting", row->idle}};
    const char *comma = "";
    if (row->time < 0.5)
        return;
    fprintf(out, "- time: %.0f%%", row->time);
    if (row->error >= 0.5)
        fprintf(out, " ±%.0f", row->error);
    fputs(" (", out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].percent < 0.5)
            continue;
        fprintf(out, "%s%s %.0f", comma, parts[i].name, parts[i].percent);
        comma = ", ";
    }
    fputs(")", out);
    if (row->seconds > 0)
        fprintf(out, ", %.3g s", row->seconds);
    if (v->features & VIEW_SAMPLES)
        fprintf(out, ", %llu samples%s", (unsigned long long)row->n_samples,
                text_is_unsure(v, row) ? ": unsure" : "");
    fputc('\n', out);
}

static void print_memory(FILE *out, const struct fact *f)
{
    const struct view_row *row = row_of(f);
    char one[TEXT_BYTES], other[TEXT_BYTES];
    if (json_is_object(f->leak)) {
        fprintf(out, "- likely leak: %s/s", text_size(one, view_number(f->leak, "velocity_mb_s")));
        fprintf(out, ", likelihood %.2f\n", view_number(f->leak, "likelihood"));
    }
    if (row->alloc_mb >= 1)
        fprintf(out, "- memory: allocates %s in all (%.0f%% of the program's), peak %s\n",
                text_size(one, row->alloc_mb), row->usage,
                row->peak_mb > 0 ? text_size(other, row->peak_mb) : "unknown");
    if (row->copy_mb_s >= LEAST_COPY_MB_S)
        fprintf(out, "- copies %s/s\n", text_size(one, row->copy_mb_s));
}

/* The line with its neighbours, the line itself marked. */
static void print_source(FILE *out, const struct fact *f)
{
    size_t first = f->line > AROUND ? f->line - AROUND : 0, last = f->line + AROUND;
    if (!f->file->has_text)
        return;
    fputs("```python\n", out);
    for (size_t i = first; i <= last && i < f->file->lines.n; i++) {
        const struct view_row *row = &f->file->lines.items[i];
        int n = row->n_bytes > MAX_CODE ? MAX_CODE : (int)row->n_bytes;
        fprintf(out, "%s%4u  %.*s\n", i == f->line ? ">" : " ", row->lineno, n, row->text);
    }
    fputs("```\n", out);
}

static bool print_fact(const struct view *v, const struct fact *f, size_t rank, bool has_source,
                       size_t *room, FILE *out)
{
    struct section s;
    const char *function = view_function(f->file, f->line);
    section_open(&s);
    fprintf(s.out, "\n## %zu. %s:%u%s%s\n", rank, view_short_path(v, f->file->path),
            row_of(f)->lineno, *function ? " in " : "", function);
    print_time(s.out, v, row_of(f));
    print_memory(s.out, f);
    if (has_source)
        print_source(s.out, f);
    return section_close(&s, room, out);
}

bool report_agent(const json_t *profile, unsigned n_tokens, FILE *out, struct err *e)
{
    struct view v;
    struct section s;
    facts all = {0};
    size_t room = (size_t)n_tokens * BYTES_PER_TOKEN, shown = 0;
    static const char more[] = "\n(%zu more lines were left out: they have no room here)\n";
    view_init(&v, profile);
    collect(&all, &v);
    section_open(&s);
    print_head(s.out, &v);
    section_close(&s, &room, out);
    room = room > sizeof more + 8 ? room - sizeof more - 8 : 0;
    while (shown < all.n && print_fact(&v, &all.items[shown], shown + 1, true, &room, out))
        shown++;
    /* What has no room with its source may have some without. */
    while (shown < all.n && print_fact(&v, &all.items[shown], shown + 1, false, &room, out))
        shown++;
    if (shown < all.n)
        fprintf(out, more, all.n - shown);
    vec_fini(&all);
    view_fini(&v);
    return !ferror(out) || err_set(e, "cannot write.");
}
