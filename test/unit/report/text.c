/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the text view: golden screens, hostile profiles, profiles of upstream's form. */
#include "report/text.h"

#include "fixture.h"
#include "report/screen.h"

#include <jansson.h>
#include <math.h>

/* The view of a JSON text; the caller frees it. */
static char *text_of(const char *json, const struct text_options *o)
{
    char *text = NULL;
    size_t n;
    struct err e;
    json_t *profile = json_loads(json, JSON_DECODE_ANY, NULL);
    FILE *out = open_memstream(&text, &n);
    CHECK(profile && out && report_text(profile, o, out, &e));
    fclose(out);
    json_decref(profile);
    return text;
}

static void check_view_of(const struct profile_result *result, const char *name,
                          struct text_options o)
{
    char *json = json_of(result, &fixture_options);
    char *text = text_of(json, &o);
    check_golden(text, name);
    free(json);
    free(text);
}

static void check_view(const char *name, struct text_options o)
{
    check_view_of(&fixture_result, name, o);
}

static void views_of_memory_are_the_golden_ones(void)
{
    struct profile_result result = fixture_memory_result();
    check_view_of(&result, "report/view-80-memory.txt", (struct text_options){.columns = 80});
    check_view_of(&result, "report/view-140-memory.txt", (struct text_options){.columns = 140});
}

static void views_are_the_golden_ones(void)
{
    check_view("report/view-80.txt", (struct text_options){.columns = 80});
    check_view("report/view-140.txt", (struct text_options){.columns = 140});
    check_view("report/view-80-colour.txt",
               (struct text_options){.columns = 80, .has_colour = true});
    check_view("report/view-80-ascii.txt", (struct text_options){.columns = 80, .is_ascii = true});
    check_view("report/view-80-reduced.txt",
               (struct text_options){.columns = 80, .lines = TEXT_LINES_REDUCED});
    check_view("report/view-100-all.txt", (struct text_options){.lines = TEXT_LINES_ALL});
}

/* No line is wider than the terminal, none ends with a blank, the code keeps half of the width. */
static void check_shape(const char *text, unsigned columns)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        CHECK(screen_columns(line, n) <= columns);
        CHECK(n == 0 || line[n - 1] != ' ');
        const char *code = memmem(line, n, "code", 4);
        if (code && n >= 4 && code == line + n - 4)
            CHECK(screen_columns(line, n) - 4 <= columns - columns / 2);
        line += n + (line[n] == '\n');
    }
}

static void check_every_width(const struct profile_result *result)
{
    char *json = json_of(result, &fixture_options);
    for (unsigned columns = 48; columns < 240; columns++) {
        struct text_options o = {.columns = columns, .lines = TEXT_LINES_ALL};
        char *text = text_of(json, &o);
        check_shape(text, columns);
        CHECK(strstr(text, "solver.py"));
        free(text);
    }
    free(json);
}

static void views_fit_their_terminal(void)
{
    struct profile_result with_memory = fixture_memory_result();
    check_every_width(&fixture_result);
    check_every_width(&with_memory);
}

static void nothing_of_a_profile_controls_the_terminal(void)
{
    static const char hostile[] =
        "{\"program\": \"\\u001b[2Jx\\u202e\", \"args\": [\"\\u0007\", 3, null, \"\\u009b31m\"],"
        " \"files\": {\"a\\nb\\u001b]0;x\\u0007.py\": {\"percent_cpu_time\": 1e308, \"lines\": ["
        "{\"lineno\": 1, \"line\": \"\\u001b[31m x = \\u2066 \\r\\n evil\", \"n_cpu_percent_c\": "
        "50},"
        "{\"lineno\": -5, \"line\": 7}, {\"lineno\": 4294967299, \"line\": \"\\t\\u0000\"}, 5, "
        "null],"
        " \"functions\": [{\"line\": \"f\\u001b[1m\\n\", \"n_cpu_percent_python\": 50}],"
        " \"leaks\": {\"1\": {\"velocity_mb_s\": -1}}}},"
        " \"scalene\": {\"samples\": 1e300, \"drops\": {\"x\\u001b\": 5, \"y\": \"z\"},"
        " \"interpreter\": {\"version\": \"3\\u001b[1m\"}}}";
    json_t *profile = json_loads(hostile, JSON_ALLOW_NUL, NULL);
    CHECK(profile);
    char *text = NULL;
    size_t n;
    struct err e;
    struct text_options o = {.columns = 80, .lines = TEXT_LINES_ALL};
    FILE *out = open_memstream(&text, &n);
    CHECK(out && report_text(profile, &o, out, &e));
    fclose(out);
    for (size_t i = 0; i < n; i++)
        CHECK((unsigned char)text[i] >= 0x20 || text[i] == '\n');
    CHECK(!strstr(text, "\xe2\x80\xae") && !strstr(text, "\xe2\x81\xa6") &&
          !strstr(text, "\xc2\x9b"));
    check_shape(text, 80);
    json_decref(profile);
    free(text);
}

static void any_json_is_a_view(void)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "null",
        "3",
        "{\"files\": null}",
        "{\"files\": []}",
        "{\"files\": {\"a\": null, \"b\": [], \"c\": {}}}",
        "{\"files\": {\"a\": {\"lines\": {}, \"functions\": 1}}}",
        "{\"files\": {\"a\": {\"lines\": [{}, {}]}}, \"scalene\": []}",
        "{\"samples\": [1, [], [1, \"x\"]], \"max_footprint_mb\": 3}",
        "{\"elapsed_time_sec\": 1, \"scalene\": {\"waits\": {\"gil\": 1e300, \"io\": []}, \"gil\": "
        "["
        "{\"seconds\": 1e300, \"waiter\": {\"file\": 3, \"line\": 1e300}, \"holder\": 5}, 7]}}"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct text_options o = {.columns = 80, .lines = TEXT_LINES_ALL};
        char *text = text_of(texts[i], &o);
        check_shape(text, 80);
        free(text);
    }
}

static void a_profile_of_upstream_is_shown_with_its_memory(void)
{
    static const char upstream[] =
        "{\"program\": \"/p/a.py\", \"args\": [\"a.py\", \"-x\"], \"entrypoint_dir\": \"/p\","
        " \"elapsed_time_sec\": 4.06, \"max_footprint_mb\": 309.5, \"growth_rate\": 25.2,"
        " \"samples\": [[0, 1], [5, 20], [9, 309]], \"memory\": true,"
        " \"files\": {\"/p/a.py\": {\"percent_cpu_time\": 100, \"leaks\": {\"2\": {\"likelihood\": "
        "0.97,"
        " \"velocity_mb_s\": 21.3}}, \"imports\": [], \"lines\": ["
        "{\"lineno\": 1, \"line\": \"def f(x):\\n\"},"
        "{\"lineno\": 2, \"line\": \"    return x \\\\u003c 3 \\\\u0026 y\\n\","
        " \"n_cpu_percent_python\": 60, \"n_cpu_percent_c\": 40, \"n_sys_percent\": 0,"
        " \"n_peak_mb\": 12.34, \"n_malloc_mb\": 1500, \"n_copy_mb_s\": 250, \"n_usage_fraction\": "
        "1,"
        " \"memory_samples\": [[0, 1], [1, 5], [2, 9]]}],"
        " \"functions\": [{\"lineno\": 1, \"line\": \"f\", \"n_cpu_percent_python\": 60}]}}}";
    struct text_options o = {.columns = 120};
    char *text = text_of(upstream, &o);
    check_golden(text, "report/view-upstream.txt");
    free(text);
}

/* A number that is cut off would be a wrong one. */
static void fast_copies_are_told_in_gigabytes(void)
{
    static const char of[] =
        "{\"program\": \"/p/a.py\", \"elapsed_time_sec\": 4, \"files\": {\"/p/a.py\": {"
        "\"percent_cpu_time\": 100, \"lines\": ["
        "{\"lineno\": 1, \"line\": \"a\\n\", \"n_cpu_percent_c\": 50, \"n_copy_mb_s\": 15562},"
        "{\"lineno\": 2, \"line\": \"b\\n\", \"n_cpu_percent_c\": 50, \"n_copy_mb_s\": 9999.4}"
        "], \"functions\": []}}}";
    struct text_options o = {.columns = 80};
    char *text = text_of(of, &o);
    CHECK(strstr(text, " 15G     1  a") && strstr(text, " 9999     2  b"));
    free(text);
}

static void few_samples_are_not_ranked(void)
{
    struct profile_result r = fixture_result;
    r.n_samples = r.total.n_samples = 12;
    r.total.n_looks = 0;
    char *json = json_of(&r, &fixture_options);
    struct text_options o = {.columns = 80};
    char *text = text_of(json, &o);
    CHECK(strstr(text, "Too few samples to say where to look first."));
    CHECK(!strstr(text, "where to look first\n"));
    free(json);
    free(text);
}

static void a_profile_without_samples_says_so(void)
{
    struct profile_result empty = {.program = "/p/a.py", .elapsed_s = 0.01};
    char *json = json_of(&empty, &fixture_options);
    struct text_options o = {.columns = 80};
    char *text = text_of(json, &o);
    CHECK_STR(text, "/p/a.py\n10 ms, 0 samples\n\nToo few samples to say where to look first."
                    " Let the program run longer.\n");
    free(json);
    free(text);
}

static void an_unsure_number_shows_its_count(void)
{
    char *json = json_of(&fixture_result, &fixture_options);
    struct text_options o = {.columns = 80, .lines = TEXT_LINES_ALL};
    char *text = text_of(json, &o);
    const char *row = strstr(text, "n=4");
    CHECK(row && strstr(row, "return λ * größe"));
    free(json);
    free(text);
}

static void an_unsure_whole_has_room(void)
{
    struct profile_result r = fixture_result;
    r.files = &fixture_files[2];
    r.n_files = 1;
    r.total = r.files->cost;
    char *json = json_of(&r, &fixture_options);
    char *text = text_of(json, &(struct text_options){.columns = 80});
    CHECK(strstr(text, "100% n=1 "));
    free(json);
    free(text);
}

static void who_holds_the_peak_is_told(void)
{
    struct profile_result r = fixture_memory_result();
    struct text_options o = {.columns = 80};
    r.heap.peak.bytes = 50 * MIB; /* most of it on a line that does not leak */
    r.heap.outsides[OUTSIDE_THREADS].at_peak = 20 * MIB;
    char *json = json_of(&r, &fixture_options), *text = text_of(json, &o);
    CHECK(strstr(text, "holds 33 MB, 66% of the peak"));
    CHECK(strstr(text, "20 MB  40%  (threads without Python)\n"));
    CHECK(!strstr(text, "(the interpreter's start)")); /* too little */
    free(json);
    free(text);
    r.heap.peak.bytes = 9 * MIB; /* nobody asks */
    json = json_of(&r, &fixture_options);
    text = text_of(json, &o);
    CHECK(!strstr(text, "of the peak") && !strstr(text, "at the peak"));
    free(json);
    free(text);
}

static void gil_is_mentioned_when_it_costs(void)
{
    struct profile_result r = fixture_result;
    struct text_options o = {.columns = 80};
    char *json = json_of(&r, &fixture_options), *text = text_of(json, &o);
    CHECK(strstr(text, "solver.py:23 waited 290 ms for the GIL held by solver.py:22\n"));
    CHECK(strstr(text, "9% of the time, waiting (sleep)"));
    CHECK(!strstr(text, "elsewhere")); /* a pair that is too small */
    free(json);
    free(text);
    r.waits_s[WAIT_GIL] = 0.2; /* below a twentieth of the wall time */
    json = json_of(&r, &fixture_options);
    text = text_of(json, &o);
    CHECK(!strstr(text, "GIL"));
    free(json);
    free(text);
}

static void sleeping_program_is_ranked_by_its_looks(void)
{
    struct profile_result r = fixture_result;
    r.n_samples = r.total.n_samples = 2;
    char *json = json_of(&r, &fixture_options);
    char *text = text_of(json, &(struct text_options){.columns = 80});
    CHECK(strstr(text, "where to look first"));
    free(json);
    free(text);
}

static void text_is_measured_in_columns(void)
{
    static const struct {
        const char *text;
        size_t columns;
    } cases[] = {{"", 0},   {"abc", 3},   {"é", 1},        {"日本", 4},  {"e\xcc\x81", 1},
                 {"\t", 4}, {"ab\tc", 5}, {"\xff\xff", 2}, {"\x1b[", 2}, {"🐍", 2}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        CHECK(screen_columns(cases[i].text, strlen(cases[i].text)) == cases[i].columns);
}

static void view_says_that_it_cannot_be_written(void)
{
    FILE *full = fopen("/dev/full", "w");
    struct err e;
    json_t *profile = json_object();
    struct text_options o = {.columns = 80};
    CHECK(full && !report_text(profile, &o, full, &e));
    CHECK_STR(e.text, "The view cannot be written: No space left on device.");
    json_decref(profile);
    fclose(full);
}

int main(void)
{
    RUN(text_is_measured_in_columns);
    RUN(views_are_the_golden_ones);
    RUN(views_of_memory_are_the_golden_ones);
    RUN(views_fit_their_terminal);
    RUN(nothing_of_a_profile_controls_the_terminal);
    RUN(any_json_is_a_view);
    RUN(a_profile_of_upstream_is_shown_with_its_memory);
    RUN(fast_copies_are_told_in_gigabytes);
    RUN(few_samples_are_not_ranked);
    RUN(gil_is_mentioned_when_it_costs);
    RUN(sleeping_program_is_ranked_by_its_looks);
    RUN(a_profile_without_samples_says_so);
    RUN(who_holds_the_peak_is_told);
    RUN(an_unsure_number_shows_its_count);
    RUN(an_unsure_whole_has_room);
    RUN(view_says_that_it_cannot_be_written);
    return 0;
}
