/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/filter.h"

#include "../check.h"

static const struct filter_places places = {"/usr", "/usr", NULL};
static const struct filter_places in_venv = {"/usr", "/home/me/venv", NULL};

static bool is_profiled(const struct profile_filter *filter, const char *path)
{
    return filter_is_profiled(filter, &places, path);
}

static void program_tree_is_profiled(void)
{
    const struct profile_filter filter = {.program_path = "/home/me"};
    CHECK(is_profiled(&filter, "/home/me/prog.py"));
    CHECK(is_profiled(&filter, "/home/me/lib/python/x.py"));
    CHECK(!is_profiled(&filter, "/home/meg/prog.py"));
    CHECK(!is_profiled(&filter, "/home/me"));
    CHECK(!is_profiled(&filter, "/opt/x.py"));
    const struct profile_filter slash = {.program_path = "/home/me/"}, root = {.program_path = "/"};
    CHECK(is_profiled(&slash, "/home/me/prog.py"));
    CHECK(is_profiled(&root, "/prog.py") && !is_profiled(&root, "/usr/lib/python3.11/re.py"));
}

static void libraries_are_not_profiled(void)
{
    const struct profile_filter filter = {.program_path = "/"};
    CHECK(!is_profiled(&filter, "/usr/lib/python3.11/re.py"));
    CHECK(!is_profiled(&filter, "/usr/lib64/python3.9/json/decoder.py"));
    CHECK(!is_profiled(&filter, "/usr/lib/python311.zip/re.py"));
    CHECK(!is_profiled(&filter, "/opt/site-packages/x.py"));
    CHECK(!is_profiled(&filter, "/usr/lib/python3/dist-packages/x.py"));
    CHECK(is_profiled(&filter, "/opt/my-site-packages/x.py"));
    CHECK(!is_profiled(&filter, "<frozen importlib._bootstrap>"));
    CHECK(!is_profiled(&filter, "<string>"));
}

static void project_under_the_prefix_is_profiled(void)
{
    const struct profile_filter filter = {.program_path = "/usr/src/app"};
    CHECK(is_profiled(&filter, "/usr/src/app/prog.py"));
    CHECK(is_profiled(&filter, "/usr/src/app/lib/python3.9-tools/x.py"));
}

static void virtual_environment_in_the_project_is_a_library(void)
{
    const struct profile_filter filter = {.program_path = "/home/me"};
    CHECK(filter_is_profiled(&filter, &in_venv, "/home/me/prog.py"));
    CHECK(!filter_is_profiled(&filter, &in_venv, "/home/me/venv/bin/tool"));
    CHECK(!filter_is_profiled(&filter, &in_venv, "/home/me/venv/lib/python3.9/site-packages/x.py"));
    const struct profile_filter inside = {.program_path = "/home/me/venv/app"};
    CHECK(filter_is_profiled(&inside, &in_venv, "/home/me/venv/app/prog.py"));
}

static void options_widen_and_narrow(void)
{
    const char *const only[] = {"prog", "util", NULL}, *const exclude[] = {"test", NULL};
    const struct profile_filter some = {.program_path = "/home/me", .only = only};
    CHECK(is_profiled(&some, "/home/me/util.py") && !is_profiled(&some, "/home/me/main.py"));
    const struct profile_filter fewer = {.program_path = "/home/me", .exclude = exclude};
    CHECK(is_profiled(&fewer, "/home/me/util.py") && !is_profiled(&fewer, "/home/me/test/x.py"));
    const struct profile_filter all = {
        .program_path = "/home/me", .is_all = true, .exclude = exclude};
    CHECK(is_profiled(&all, "/usr/lib/python3.11/re.py") && is_profiled(&all, "<string>"));
    CHECK(!is_profiled(&all, "/usr/lib/python3.11/test/x.py"));
    CHECK(!is_profiled(&all, "<frozen runpy>"));
    const struct profile_filter system = {.program_path = "/home/me", .has_system_libraries = true};
    CHECK(is_profiled(&system, "/home/me/site-packages/x.py"));
    CHECK(!is_profiled(&system, "/usr/lib/python3.11/re.py"));
}

static const char *program_of(const char *a, const char *b, const char *c, const char *d)
{
    const char *const arguments[] = {"python3", a, b, c, d, NULL};
    const char *code, *name = filter_program_string(arguments, &code);
    return name ? name : "";
}

static const char *code_of(const char *a, const char *b)
{
    const char *const arguments[] = {"python3", a, b, NULL};
    const char *code;
    filter_program_string(arguments, &code);
    return code ? code : "none";
}

static void code_stands_behind_its_option(void)
{
    CHECK_STR(code_of("-c", "pass"), "pass");
    CHECK_STR(code_of("-bIc", "pass"), "pass");
    CHECK_STR(code_of("-Icpass", "x"), "pass");
    CHECK_STR(code_of("-c", NULL), "none");
    CHECK_STR(code_of("-m", "timeit"), "none");
    CHECK_STR(code_of("prog.py", "-c"), "none");
}

static void program_given_as_text_is_profiled(void)
{
    CHECK_STR(program_of("prog.py", "-c", NULL, NULL), "");
    CHECK_STR(program_of("-c", "pass", "x", NULL), "<string>");
    CHECK_STR(program_of("-bIc", "pass", NULL, NULL), "<string>");
    CHECK_STR(program_of("-W", "c", "-c", "pass"), "<string>");
    CHECK_STR(program_of("-Wc", "prog.py", "-c", "pass"), "");
    CHECK_STR(program_of("-X", "dev", "prog.py", "-c"), "");
    CHECK_STR(program_of("-m", "timeit", "-c", NULL), "");
    CHECK_STR(program_of("-", "x", NULL, NULL), "<stdin>");
    CHECK_STR(program_of(NULL, NULL, NULL, NULL), "<stdin>");
    const struct profile_filter filter = {.program_path = "/home/me"};
    const struct filter_places text = {"/usr", "/usr", "<string>"};
    CHECK(filter_is_profiled(&filter, &text, "<string>"));
    CHECK(!filter_is_profiled(&filter, &text, "<stdin>"));
}

static void unknown_prefix_is_no_library(void)
{
    const struct profile_filter filter = {.program_path = "/home/me"};
    const struct filter_places unknown = {NULL, NULL, NULL};
    CHECK(filter_is_profiled(&filter, &unknown, "/home/me/prog.py"));
}

int main(void)
{
    RUN(program_tree_is_profiled);
    RUN(libraries_are_not_profiled);
    RUN(project_under_the_prefix_is_profiled);
    RUN(virtual_environment_in_the_project_is_a_library);
    RUN(options_widen_and_narrow);
    RUN(program_given_as_text_is_profiled);
    RUN(code_stands_behind_its_option);
    RUN(unknown_prefix_is_no_library);
    return 0;
}
