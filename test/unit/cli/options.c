/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser, on the table of scalene run itself. */
#include "cli/options.h"

#include "../check.h"
#include "cli/run_options.h"

/* A parsed command line and its values. */
struct line {
    struct run_options values;
    struct parsed parsed;
    struct err e;
    bool is_parsed;
};

static struct line parse(const char *const *arguments)
{
    struct line line = {.values = RUN_DEFAULTS};
    line.is_parsed = options_parse(&run_command, arguments, &line.values, &line.parsed, &line.e);
    return line;
}

#define PARSE(...) parse((const char *[]){__VA_ARGS__, NULL})

static void check_rest(const struct line *line, size_t n, const char *const *want)
{
    CHECK(line->is_parsed);
    CHECK(line->parsed.rest.n == n);
    for (size_t i = 0; i < n; i++)
        CHECK_STR(line->parsed.rest.items[i], want[i]);
}

#define CHECK_REST(line, ...)                                                                      \
    check_rest(&(line), sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                    \
               (const char *[]){__VA_ARGS__})

static void check_error(struct line line, const char *want)
{
    CHECK(!line.is_parsed);
    CHECK_STR(line.e.text, want);
    parsed_fini(&line.parsed);
}

static void values_may_be_attached_or_follow(void)
{
    struct line line = PARSE("--outfile=a.json", "--python", "python3.9", "prog.py");
    CHECK_STR(line.values.make.outfile, "a.json");
    CHECK_STR(line.values.python, "python3.9");
    CHECK_REST(line, "prog.py");
    parsed_fini(&line.parsed);
    line = PARSE("-ob.json", "-o", "c.json", "prog.py");
    CHECK_STR(line.values.make.outfile, "c.json");
    parsed_fini(&line.parsed);
}

static void unique_prefix_is_enough(void)
{
    struct line line = PARSE("--profile-a", "--cpu-s", "0.5", "--outf", "x", "prog.py");
    CHECK_REST(line, "prog.py");
    CHECK(line.values.make.is_all);
    CHECK_NEAR(line.values.period_s, 0.5, 0);
    CHECK_STR(line.values.make.outfile, "x");
    parsed_fini(&line.parsed);
    check_error(PARSE("--cpu", "x"), "--cpu can mean --cpu-only or --cpu-percent-threshold.");
}

static void exact_name_wins_over_longer_ones(void)
{
    struct line line = PARSE("--async", "--no-stacks", "--off", "prog.py");
    CHECK_REST(line, "prog.py");
    CHECK(line.parsed.later.n == 1);
    CHECK_STR(line.parsed.later.items[0]->name, "async");
    CHECK(!line.values.make.has_stacks && line.values.is_off);
    parsed_fini(&line.parsed);
}

static void what_follows_the_program_is_its_own(void)
{
    struct line line = PARSE("--profile-all", "prog.py", "-o", "out", "--no-such", "-m");
    CHECK_REST(line, "prog.py", "-o", "out", "--no-such", "-m");
    CHECK(line.values.make.outfile == NULL && line.values.module == NULL);
    parsed_fini(&line.parsed);
}

static void three_dashes_end_our_options(void)
{
    struct line line = PARSE("--profile-all", "---", "-u", "prog.py", "--profile-only", "x");
    CHECK_REST(line, "prog.py", "--profile-only", "x");
    CHECK(line.parsed.passed.n == 1 && line.values.make.only == NULL);
    parsed_fini(&line.parsed);
    line = PARSE("---", "-m", "mod", "-o", "x");
    CHECK_STR(line.values.module, "mod");
    CHECK_REST(line, "-o", "x");
    parsed_fini(&line.parsed);
    check_error(PARSE("---", "--outfile", "x"),
                "after --- a program is expected, not '--outfile'.");
}

static void module_and_code_end_the_options(void)
{
    struct line line = PARSE("-m", "pytest", "-x", "--outfile", "y");
    CHECK_STR(line.values.module, "pytest");
    CHECK_REST(line, "-x", "--outfile", "y");
    parsed_fini(&line.parsed);
    line = PARSE("-mtimeit", "pass");
    CHECK_STR(line.values.module, "timeit");
    parsed_fini(&line.parsed);
    line = PARSE("-c", "print(1)", "-o", "x");
    CHECK_STR(line.values.code, "print(1)");
    CHECK_REST(line, "-o", "x");
    parsed_fini(&line.parsed);
    line = PARSE("-c", "a.yaml", "-o", "x", "prog.py");
    CHECK_STR(line.values.make.outfile, "x");
    CHECK_STR(line.values.config, "a.yaml");
    CHECK(line.values.code == NULL);
    CHECK_REST(line, "prog.py");
    parsed_fini(&line.parsed);
}

static void flags_of_python_are_kept_as_typed(void)
{
    static const char *const want[] = {"-Bu", "-Werror", "-X", "dev", "-OO", "-u"};
    struct line line = PARSE("-Bu", "-Werror", "-X", "dev", "-OO", "-uo", "x", "prog.py", "-B");
    CHECK_REST(line, "prog.py", "-B");
    CHECK(line.parsed.passed.n == sizeof want / sizeof *want);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_STR(line.parsed.passed.items[i], want[i]);
    CHECK_STR(line.values.make.outfile, "x");
    parsed_fini(&line.parsed);
}

static void lone_dash_is_a_program(void)
{
    struct line line = PARSE("-u", "-", "-o");
    CHECK_REST(line, "-", "-o");
    parsed_fini(&line.parsed);
}

static void names_of_old_are_tolerated(void)
{
    struct line line =
        PARSE("--no-browser", "--json", "--cli", "--html", "--column-width", "90", "prog.py");
    CHECK_REST(line, "prog.py");
    CHECK(line.parsed.later.n == 0);
    CHECK(line.values.then == THEN_PAGE && line.values.has_no_browser);
    parsed_fini(&line.parsed);
}

/* Sets options by name, as files and the environment do. */
static enum option_set set(struct line *line, const char *name, const char *value)
{
    return options_set(&run_command, name, value, &line->values, &line->parsed, &line->e);
}

static void names_and_values_set_options(void)
{
    struct line line = {.values = RUN_DEFAULTS};
    CHECK(set(&line, "profile_all", "yes") == OPTION_SET && line.values.make.is_all);
    CHECK(set(&line, "profile-all", "false") == OPTION_SET && !line.values.make.is_all);
    CHECK(set(&line, "stacks", "off") == OPTION_SET && !line.values.make.has_stacks);
    CHECK(set(&line, "output", "x.json") == OPTION_SET);
    CHECK_STR(line.values.make.outfile, "x.json");
    CHECK(set(&line, "cpu-only", "1") == OPTION_SET);
    CHECK(line.values.memory == WISH_NO && line.values.gpu == WISH_NO);
    CHECK(set(&line, "cpu-only", "0") == OPTION_SET && line.values.memory == WISH_NONE);
    CHECK(set(&line, "cpu-sampling-rate", "0.5") == OPTION_SET);
    CHECK_NEAR(line.values.period_s, 0.5, 0);
    parsed_fini(&line.parsed);
}

static void names_that_are_none_and_values_that_do_not_fit(void)
{
    static const char *const none[] = {"help", "no-stacks", "html", "profile-al", "m", "-o", ""};
    struct line line = {.values = RUN_DEFAULTS};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(set(&line, none[i], "true") == OPTION_UNKNOWN);
    CHECK(set(&line, "profile-all", "maybe") == OPTION_WRONG);
    CHECK_STR(line.e.text, "profile-all is true or false, not 'maybe'.");
    CHECK(set(&line, "cpu-sampling-rate", "fast") == OPTION_WRONG);
    CHECK(set(&line, "on", "true") == OPTION_SET && set(&line, "off", "true") == OPTION_WRONG);
    parsed_fini(&line.parsed);
}

static void later_layers_win(void)
{
    struct line line = {.values = RUN_DEFAULTS};
    CHECK(set(&line, "off", "true") == OPTION_SET && set(&line, "cpu-only", "true") == OPTION_SET);
    parsed_fini(&line.parsed);
    const char *arguments[] = {"--on", "--memory", "prog.py", NULL};
    CHECK(options_parse(&run_command, arguments, &line.values, &line.parsed, &line.e));
    CHECK(!line.values.is_off && run_has_memory(&line.values));
    parsed_fini(&line.parsed);
    check_error(PARSE("--on", "--off", "x"), "--on and --off exclude each other.");
}

static void mistakes_are_one_sentence(void)
{
    check_error(PARSE("--profile-al1", "x"),
                "there is no option --profile-al1; did you mean --profile-all?");
    check_error(PARSE("--zebra"), "there is no option --zebra; --help and --help-advanced list "
                                  "them all.");
    check_error(PARSE("-Z"), "there is no option -Z; --help lists them all.");
    check_error(PARSE("--profile-all=1"), "--profile-all takes no value.");
    check_error(PARSE("--outfile"), "--outfile needs a value (FILE).");
    check_error(PARSE("-o"), "--outfile needs a value (FILE).");
    check_error(PARSE("--outfile="), "--outfile needs a file.");
}

static void numbers_are_checked(void)
{
    static const char *const wrong[] = {"0", "-1", "nan", "abc", "", "1x", "5", "inf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char want[128], argument[64];
        snprintf(argument, sizeof argument, "--cpu-sampling-rate=%s", wrong[i]);
        snprintf(want, sizeof want,
                 "--cpu-sampling-rate needs a number of seconds from 0.000001 to 4, not '%s'.",
                 wrong[i]);
        check_error(PARSE(argument, "x"), want);
    }
    struct line line = PARSE("--profile-interval", "inf", "--cpu-percent-threshold=0", "x");
    CHECK_REST(line, "x");
    CHECK_NEAR(line.values.make.cpu_percent_threshold, 0, 0);
    parsed_fini(&line.parsed);
}

/* Every option that is shown is explained, and no line is wider than the terminal. */
static void help_names_every_option_in_80_columns(void)
{
    char *text = NULL, label[64];
    size_t n = 0;
    const struct option *option;
    FILE *out = open_memstream(&text, &n);
    options_help(&run_command, true, out);
    fclose(out);
    for (size_t i = 0; (option = options_at(&run_command, i)); i++)
        CHECK(option->shown == SHOWN_NEVER || strstr(text, option_label(option, label)));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        CHECK(strcspn(line, "\n") <= 80);
    free(text);
}

int main(void)
{
    RUN(values_may_be_attached_or_follow);
    RUN(unique_prefix_is_enough);
    RUN(exact_name_wins_over_longer_ones);
    RUN(what_follows_the_program_is_its_own);
    RUN(three_dashes_end_our_options);
    RUN(module_and_code_end_the_options);
    RUN(flags_of_python_are_kept_as_typed);
    RUN(lone_dash_is_a_program);
    RUN(names_of_old_are_tolerated);
    RUN(names_and_values_set_options);
    RUN(names_that_are_none_and_values_that_do_not_fit);
    RUN(later_layers_win);
    RUN(mistakes_are_one_sentence);
    RUN(numbers_are_checked);
    RUN(help_names_every_option_in_80_columns);
    return 0;
}
