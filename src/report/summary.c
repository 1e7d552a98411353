/* SPDX-License-Identifier: Apache-2.0 */
/* The head of the text view: what ran, how long, and what its time and memory went to. */
#include "report/points.h"
#include "report/text_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_COLUMNS 8u
#define BAR_COLUMNS   24u
#define BESIDE_BAR    46u /* the label and the longest words beside a bar */

static unsigned bar_columns(const struct screen *s)
{
    unsigned room = s->columns > BESIDE_BAR ? s->columns - BESIDE_BAR : 0;
    return room < BAR_COLUMNS ? room : BAR_COLUMNS;
}

/* Upstream lists the program itself among its arguments. */
static bool is_program(const char *program, const char *argument)
{
    size_t n = strlen(program), n_argument = strlen(argument);
    return n_argument > 0 && n_argument <= n && strcmp(program + n - n_argument, argument) == 0 &&
           strchr(argument, '.');
}

static void print_program(struct screen *s, const struct view *v)
{
    const char *program = view_text(v->profile, "program");
    const json_t *arguments = json_object_get(v->profile, "args");
    const char *name = view_short_path(v, program);
    size_t used = screen_put(s, name, strlen(name), s->columns, NULL, PAINT_BOLD);
    size_t i;
    const json_t *argument;
    json_array_foreach(arguments, i, argument)
    {
        const char *text = json_string_value(argument);
        if (i == 0 && text && is_program(program, text))
            continue;
        if (!text || used + 2 > s->columns)
            break;
        screen_blanks(s, 1);
        used += 1 + screen_put(s, text, strlen(text), s->columns - used - 1, NULL, PAINT_PLAIN);
    }
    screen_newline(s);
}

/* Items with commas between; an item that finds no room begins the next line. */
struct list {
    struct screen *s;
    enum paint paint;
    size_t indent, used;
};

static void list_add(struct list *list, const char *text)
{
    struct screen *s = list->s;
    size_t n = screen_columns(text, strlen(text));
    if (list->used > list->indent) {
        screen_text(s, list->paint, ",");
        bool is_full = list->used + 3 + n > s->columns;
        if (is_full)
            screen_newline(s);
        screen_blanks(s, is_full ? list->indent : 1);
        list->used = is_full ? list->indent : list->used + 2;
    }
    list->used += screen_put(s, text, strlen(text), s->columns - list->used, NULL, list->paint);
}

static void print_facts(struct screen *s, const struct view *v)
{
    struct list list = {.s = s, .paint = PAINT_PLAIN};
    char number[TEXT_BYTES], text[2 * TEXT_BYTES];
    const json_t *about = json_object_get(v->profile, "scalene");
    const char *version = view_text(json_object_get(about, "interpreter"), "version");
    const char *selected = view_text(about, "selected"); /* by narrow.c, if it was */
    size_t n_processes = json_array_size(json_object_get(about, "processes"));
    list_add(&list, text_seconds(number, v->elapsed_s));
    if (v->cpu_s > 0 && v->elapsed_s > 0) {
        long long tenths = llround(10 * fmin(1e6, v->cpu_s / v->elapsed_s));
        snprintf(text, sizeof text, "%lld.%lld cores", tenths / 10, tenths % 10);
        list_add(&list, text);
    }
    if (*version) {
        snprintf(text, sizeof text, "CPython %.40s", version);
        list_add(&list, text);
    }
    if (n_processes > 1) {
        snprintf(text, sizeof text, "%s processes", text_count(number, n_processes));
        list_add(&list, text);
    }
    if (v->features & VIEW_SAMPLES || v->n_samples) {
        text_count(number, v->n_samples);
        snprintf(text, sizeof text, "%s sample%s", number, v->n_samples == 1 ? "" : "s");
        list_add(&list, text);
    }
    if (*selected)
        list_add(&list, selected);
    screen_newline(s);
}

static void print_time(struct screen *s, const struct view *v)
{
    const struct {
        const char *name;
        double percent;
        enum paint paint;
    } parts[] = {{"Python", v->python, PAINT_PYTHON},
                 {"native", v->native, PAINT_NATIVE},
                 {"system", v->system, PAINT_SYSTEM}};
    if (v->python + v->native + v->system <= 0)
        return;
    screen_newline(s);
    screen_left(s, PAINT_DIM, "time", LABEL_COLUMNS);
    double until = 0;
    size_t drawn = 0;
    for (size_t i = 0; i < 3; i++) { /* by running sums, so that the cells add up */
        until += parts[i].percent;
        size_t cells = (size_t)lround(bar_columns(s) * until / 100);
        screen_bar(s, parts[i].paint, cells > drawn ? cells - drawn : 0);
        drawn = cells > drawn ? cells : drawn;
    }
    for (size_t i = 0; i < 3; i++) {
        char text[TEXT_BYTES];
        screen_blanks(s, 2);
        screen_text(s, parts[i].paint, parts[i].name);
        snprintf(text, sizeof text, " %ld%%", lround(parts[i].percent));
        screen_text(s, PAINT_PLAIN, text);
    }
    screen_newline(s);
}

/* What threads waited for, in all; none when it is little. */
static void print_waits(struct screen *s, const struct view *v)
{
    struct list list = {s, PAINT_PLAIN, LABEL_COLUMNS, 0};
    double waits_s[WAIT_KINDS];
    memcpy(waits_s, v->waits_s, sizeof waits_s);
    for (size_t i = 0; i < WAIT_KINDS; i++) { /* the longest first */
        char number[TEXT_BYTES], text[2 * TEXT_BYTES];
        enum wait_kind kind = waits_largest(waits_s, WAITS_ALL);
        if (waits_s[kind] <= 0 || waits_s[kind] < VIEW_LEAST_WAIT * v->elapsed_s)
            break;
        if (list.used == 0) {
            screen_left(s, PAINT_DIM, "waits", LABEL_COLUMNS);
            list.used = LABEL_COLUMNS;
        }
        snprintf(text, sizeof text, "%s %s", waits_name(kind), text_seconds(number, waits_s[kind]));
        list_add(&list, text);
        waits_s[kind] = 0;
    }
    if (list.used)
        screen_newline(s);
}

/* Words beside the curve, as many as there is room for. */
struct words {
    char text[6 * TEXT_BYTES];
    size_t n, room;
};

static void words_add(struct words *words, const char *text)
{
    size_t n = strlen(text);
    if (words->n + n > words->room || words->n + n >= sizeof words->text)
        return;
    memcpy(words->text + words->n, text, n + 1);
    words->n += n;
}

/* What the kernel says; of several processes with what they share counted once, if that is known.
 */
static void add_occupied(struct words *words, const json_t *memory, size_t n_processes)
{
    char number[TEXT_BYTES], text[2 * TEXT_BYTES];
    double shared_mb = n_processes > 1 ? view_number(memory, "pss_peak_mb") : 0;
    double mb = shared_mb > 0 ? shared_mb : view_number(memory, "resident_peak_mb");
    if (!*text_size(number, mb))
        return;
    snprintf(text, sizeof text, ", %s %s", shared_mb > 0 ? "PSS" : "RSS", number);
    words_add(words, text);
}

/* How fast it grows where lines leak; upstream knows only what part of it stays. */
static void add_growth(struct words *words, const struct view *v, const json_t *memory)
{
    char number[TEXT_BYTES], text[2 * TEXT_BYTES] = "";
    double growth = view_number(v->profile, "growth_rate");
    double leak = view_number(memory, "leak_mb_s");
    if (*text_size(number, leak))
        snprintf(text, sizeof text, ", +%s/s", number);
    else if (!json_is_object(memory) && growth >= 1)
        snprintf(text, sizeof text, ", growth rate %ld%%", lround(fmin(9999, growth)));
    words_add(words, text);
}

static void print_memory(struct screen *s, const struct view *v)
{
    double cells[POINTS_CELLS], peak = view_number(v->profile, "max_footprint_mb");
    const json_t *run = json_object_get(v->profile, "scalene");
    const json_t *memory = json_object_get(run, "memory");
    const json_t *points = json_object_get(v->profile, "samples");
    char number[TEXT_BYTES], text[3 * TEXT_BYTES];
    if (peak <= 0)
        return;
    screen_left(s, PAINT_DIM, "memory", LABEL_COLUMNS);
    bool has_curve = points_curve(points, v->elapsed_s, cells, bar_columns(s));
    if (has_curve)
        screen_curve(s, PAINT_MEMORY, cells, bar_columns(s), bar_columns(s));
    size_t used = LABEL_COLUMNS + (has_curve ? bar_columns(s) : 0);
    struct words words = {.room = s->columns > used ? s->columns - used : 0};
    snprintf(text, sizeof text, "%speak %s", has_curve ? "  " : "", text_size(number, peak));
    words_add(&words, text);
    if (json_is_object(memory)) {
        snprintf(text, sizeof text, " at %s",
                 text_seconds(number, view_number(memory, "peak_seconds")));
        words_add(&words, text);
    }
    add_growth(&words, v, memory);
    add_occupied(&words, memory, json_array_size(json_object_get(run, "processes")));
    screen_text(s, PAINT_PLAIN, words.text);
    screen_newline(s);
}

/* What was lost, in the words of the profile itself. A read that faulted lost nothing: where it
 * ended a walk, that is a bad frame. */
static void print_drops(struct screen *s, const struct view *v)
{
    const json_t *drops = json_object_get(json_object_get(v->profile, "scalene"), "drops");
    struct list list = {s, PAINT_WARNING, LABEL_COLUMNS, 0};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)drops, key, value)
    {
        double n = view_number(drops, key);
        if (n < 1 || strcmp(key, "memory_fault") == 0)
            continue;
        char number[TEXT_BYTES], text[2 * TEXT_BYTES];
        snprintf(text, sizeof text, "%s %.40s", text_count(number, (uint64_t)n), key);
        for (char *c = text; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        if (list.used == 0) {
            screen_left(s, PAINT_DIM, "drops", LABEL_COLUMNS);
            list.used = LABEL_COLUMNS;
        }
        list_add(&list, text);
    }
    if (list.used)
        screen_newline(s);
}

void summary_print(struct screen *s, const struct view *v)
{
    print_program(s, v);
    print_facts(s, v);
    print_time(s, v);
    print_waits(s, v);
    print_memory(s, v);
    print_drops(s, v);
}
