/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the JSON profile: its bytes, its escapes, and its behaviour without sources or samples.
 */
#include "fixture.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *profile = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!profile)
        fprintf(stderr, "line %d: %s\n", error.line, error.text);
    CHECK(profile);
    return profile;
}

static void json_is_the_golden_one(void)
{
    char *text = json_of(&fixture_result, &fixture_options);
    check_golden(text, "report/profile.json");
    check_golden(text, "../../schema/examples/solver.json"); /* the public example stays true */
    free(text);
}

static void json_is_the_same_in_every_locale(void)
{
    char *before = json_of(&fixture_result, &fixture_options);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* writes numbers with a comma where it is installed */
    char *after = json_of(&fixture_result, &fixture_options);
    setlocale(LC_ALL, "C");
    CHECK_STR(after, before);
    free(before);
    free(after);
}

static void check_sorted(json_t *value)
{
    const char *key, *before = "";
    json_t *item;
    size_t i;
    json_object_foreach(value, key, item)
    {
        CHECK(strcmp(before, key) < 0);
        before = key;
        check_sorted(item);
    }
    json_array_foreach(value, i, item) check_sorted(item);
}

static void json_keys_are_sorted(void)
{
    char *text = json_of(&fixture_result, &fixture_options);
    json_t *profile = parse(text);
    check_sorted(profile);
    json_decref(profile);
    free(text);
}

static void json_escapes_hostile_text(void)
{
    static const char *const arguments[] = {"\x1b[31m\"\\\n\x7f", "caf\xc3\xa9", "\xf0\x9f\x90\x8d",
                                            "\xff\xed\xa0\x80", NULL};
    struct profile_result r = fixture_result;
    r.arguments = arguments;
    char *text = json_of(&r, &fixture_options);
    CHECK(strstr(text, "\"\\u001b[31m\\\"\\\\\\n\\u007f\", \"caf\\u00e9\", "
                       "\"\\ud83d\\udc0d\", \"\\\\xff\\\\xed\\\\xa0\\\\x80\"]"));
    for (const char *c = text; *c; c++)
        CHECK(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    json_decref(parse(text));
    free(text);
}

static void json_has_no_number_that_is_none(void)
{
    struct profile_result r = fixture_result;
    r.elapsed_s = NAN;
    r.start_s = INFINITY;
    r.start_realtime_s = -1e300;
    r.total = (struct cost){0};
    char *text = json_of(&r, &fixture_options);
    json_t *profile = parse(text);
    CHECK(json_number_value(json_object_get(profile, "elapsed_time_sec")) == 0);
    CHECK(json_number_value(json_object_get(profile, "start_time_perf")) == 0);
    CHECK(json_object_size(json_object_get(profile, "files")) == 3);
    json_decref(profile);
    free(text);
}

static void json_of_an_empty_profile_is_complete(void)
{
    struct profile_result empty = {0};
    struct report_options o = {.cpu_percent_threshold = 1};
    char *text = json_of(&empty, &o);
    json_t *profile = parse(text);
    CHECK(json_object_size(profile) == 26);
    json_decref(profile);
    free(text);
}

static json_t *file_of(json_t *profile, const char *path)
{
    return json_object_get(json_object_get(profile, "files"), path);
}

static void json_leaves_out_files_below_the_threshold(void)
{
    struct report_options o = fixture_options;
    const struct {
        double threshold;
        size_t n_files;
    } cases[] = {{0, 3}, {1, 2}, {50, 1}, {100, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        o.cpu_percent_threshold = cases[i].threshold;
        char *text = json_of(&fixture_result, &o);
        json_t *profile = parse(text);
        CHECK(json_object_size(json_object_get(profile, "files")) == cases[i].n_files);
        json_decref(profile);
        free(text);
    }
}

static void json_has_the_lines_of_a_file_without_text(void)
{
    char *text = json_of(&fixture_result, &fixture_options);
    json_t *profile = parse(text);
    json_t *lines = json_object_get(file_of(profile, "<string>"), "lines");
    CHECK(json_array_size(lines) == 1);
    CHECK_STR(json_string_value(json_object_get(json_array_get(lines, 0), "line")), "\n");
    lines = json_object_get(file_of(profile, "/home/ann/solve/solver.py"), "lines");
    CHECK(json_array_size(lines) == 34);
    CHECK(json_object_size(json_array_get(lines, 0)) == 45);
    json_decref(profile);
    free(text);
}

static void json_adds_the_class_to_a_bare_name(void)
{
    char *text = json_of(&fixture_result, &fixture_options);
    json_t *profile = parse(text);
    json_t *functions = json_object_get(file_of(profile, "/home/ann/solve/solver.py"), "functions");
    static const char *const names[] = {"<module>", "Solver.__init__", "Solver.convert",
                                        "Solver.solve", "naïve"};
    CHECK(json_array_size(functions) == LENGTH(names));
    for (size_t i = 0; i < LENGTH(names); i++)
        CHECK_STR(json_string_value(json_object_get(json_array_get(functions, i), "line")),
                  names[i]);
    CHECK(strstr(text, "/home/ann/solve/solver.py Solver.solve:22;"));
    json_decref(profile);
    free(text);
}

static void json_shares_add_up(void)
{
    struct report_options o = fixture_options;
    o.cpu_percent_threshold = 0;
    char *text = json_of(&fixture_result, &o);
    json_t *profile = parse(text), *file;
    const char *path;
    double sum = 0;
    json_object_foreach(json_object_get(profile, "files"), path, file)
    {
        size_t i;
        json_t *line;
        json_array_foreach(json_object_get(file, "lines"), i, line)
        {
            sum += json_number_value(json_object_get(line, "n_cpu_percent_python")) +
                   json_number_value(json_object_get(line, "n_cpu_percent_c")) +
                   json_number_value(json_object_get(line, "n_sys_percent"));
        }
    }
    CHECK_NEAR(sum, 100, 0.001);
    json_decref(profile);
    free(text);
}

static void error_is_that_of_wilson(void)
{
    CHECK_NEAR(report_error_points(0.5, 100), 9.62, 0.01);
    CHECK_NEAR(report_error_points(0, 100), 1.85, 0.01);
    CHECK_NEAR(report_error_points(1, 1), 39.67, 0.01);
    CHECK_NEAR(report_error_points(0.41, 3812), 1.56, 0.01);
    CHECK_NEAR(report_error_points(0.5, 0), 100, 0);
}

static void error_of_a_cost_is_that_of_both_its_parts(void)
{
    const struct cost cpu_only = {5, 3, 2, 2000, 0, 0}, half = {5, 0, 0, 500, 0, 0};
    CHECK_NEAR(report_cost_error(&half, &cpu_only, 1000), report_error_points(0.5, 1000), 1e-9);
    /* Nine tenths of the time are idle, and a line has half of them: the samples hardly matter. */
    const struct cost mixed = {1, 0, 9, 100, 9, 400}, asleep = {0, 0, 4.5, 0, 4.5, 200};
    double idle_points = 0.9 * report_error_points(0.5, 400);
    double cpu_points = 0.1 * report_error_points(0, 100);
    CHECK_NEAR(report_cost_error(&asleep, &mixed, 100), hypot(idle_points, cpu_points), 1e-9);
    const struct cost unseen = {0, 0, 9, 0, 9, 0}, nothing = {0};
    CHECK_NEAR(report_cost_error(&unseen, &unseen, 0), 0, 0); /* never looked at: no number */
    CHECK_NEAR(report_cost_error(&nothing, &mixed, 100), 0, 0);
}

static void json_with_memory_is_the_golden_one(void)
{
    struct profile_result result = fixture_memory_result();
    char *text = json_of(&result, &fixture_options);
    check_golden(text, "../../schema/examples/memory.json");
    json_t *profile = parse(text);
    json_t *file = file_of(profile, "/home/ann/solve/solver.py");
    json_t *lines = json_object_get(file, "lines"), *leaking = json_array_get(lines, 11);
    CHECK_NEAR(json_number_value(json_object_get(leaking, "n_live_mb")), 160, 1e-6);
    CHECK_NEAR(json_number_value(json_object_get(leaking, "n_usage_fraction")), 160 / 580.0, 1e-6);
    CHECK(json_array_size(json_object_get(leaking, "memory_samples")) == 5);
    json_t *leak = json_object_get(json_object_get(file, "leaks"), "12");
    CHECK_NEAR(json_number_value(json_object_get(leak, "velocity_mb_s")), 36, 1e-6);
    CHECK(json_object_size(json_object_get(file, "leaks")) == 1);
    CHECK_NEAR(json_number_value(json_object_get(profile, "max_footprint_mb")), 183, 1e-6);
    json_decref(profile);
    free(text);
}

static void json_has_waits_only_of_kinds_that_were_seen(void)
{
    char *text = json_of(&fixture_result, &fixture_options);
    json_t *profile = parse(text);
    json_t *lines = json_object_get(file_of(profile, "/home/ann/solve/solver.py"), "lines");
    json_t *sleep = json_array_get(lines, 33), *parked = json_array_get(lines, 32);
    CHECK(json_object_size(json_object_get(sleep, "waits")) == 2);
    CHECK_NEAR(json_number_value(json_object_get(sleep, "idle_seconds")), 0.32, 1e-6);
    CHECK(json_integer_value(json_object_get(sleep, "idle_looks")) == 32);
    CHECK_NEAR(json_number_value(json_object_get(json_object_get(parked, "waits"), "lock")), 4.2,
               1e-6);
    CHECK(json_number_value(json_object_get(parked, "n_sys_percent")) == 0);
    json_t *gil = json_object_get(json_object_get(profile, "scalene"), "gil");
    CHECK(json_array_size(gil) == 3);
    CHECK(json_is_null(json_object_get(json_array_get(gil, 1), "holder")));
    json_decref(profile);
    free(text);
}

static void json_says_whether_anyone_looked(void)
{
    struct profile_result r = fixture_result;
    r.waits_seen = SEEN_NOT;
    char *seen = json_of(&fixture_result, &fixture_options), *not = json_of(&r, &fixture_options);
    CHECK(strstr(seen, "\"waits_seen\": \"outside\""));
    CHECK(strstr(not, "\"waits_seen\": \"not\""));
    free(seen);
    free(not );
}

static void json_says_that_it_cannot_be_written(void)
{
    FILE *full = fopen("/dev/full", "w");
    struct err e;
    CHECK(full && !report_json(&fixture_result, &fixture_options, full, &e));
    CHECK_STR(e.text, "The profile cannot be written: No space left on device.");
    fclose(full);
}

int main(void)
{
    RUN(json_is_the_golden_one);
    RUN(json_with_memory_is_the_golden_one);
    RUN(json_is_the_same_in_every_locale);
    RUN(json_keys_are_sorted);
    RUN(json_escapes_hostile_text);
    RUN(json_has_no_number_that_is_none);
    RUN(json_of_an_empty_profile_is_complete);
    RUN(json_leaves_out_files_below_the_threshold);
    RUN(json_has_the_lines_of_a_file_without_text);
    RUN(json_adds_the_class_to_a_bare_name);
    RUN(json_shares_add_up);
    RUN(error_is_that_of_wilson);
    RUN(error_of_a_cost_is_that_of_both_its_parts);
    RUN(json_has_waits_only_of_kinds_that_were_seen);
    RUN(json_says_whether_anyone_looked);
    RUN(json_says_that_it_cannot_be_written);
    return 0;
}
