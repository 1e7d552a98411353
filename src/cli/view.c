/* SPDX-License-Identifier: Apache-2.0 */
/* scalene view: a profile in the terminal. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/text.h"

#include <assert.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct view_options {
    bool wants_help, is_terminal, is_reduced, is_all, unused;
    const char *colour;
};

#define AT(member) .offset = offsetof(struct view_options, member)

static const struct option view_table[] = {
    {.name = "help", .letter = 'h', AT(wants_help), .help = "show this and end"},
    {.name = "cli", AT(is_terminal), .help = "show the profile in the terminal"},
    {.name = "reduced", .letter = 'r', AT(is_reduced), .help = "only lines with activity"},
    {.name = "all", AT(is_all), .help = "every line of every file"},
    {.name = "color",
     .kind = OPTION_TEXT,
     .value = "WHEN",
     AT(colour),
     .help = "auto (default: on a terminal, unless NO_COLOR is set), always or never"},
    {.name = "html",
     .shown = SHOWN_ADVANCED,
     AT(unused),
     .is_later = true,
     .help = "write scalene-profile.html"},
    {.name = "standalone",
     .shown = SHOWN_ADVANCED,
     AT(unused),
     .is_later = true,
     .help = "write scalene-profile.html with everything in it"},
};
static const struct option_part view_part = {view_table, sizeof view_table / sizeof *view_table};

static const struct option_table view_command = {
    .usage = "view [options] [profile]",
    .about = "Shows a profile (scalene-profile.json) that scalene run has written.",
    .parts = {&view_part},
};

static bool wants_colour(const char *when)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    if (strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
           !(term && strcmp(term, "dumb") == 0);
}

/* The width of the terminal; 0: the output is none. */
static unsigned columns(void)
{
    struct winsize size;
    const char *wish = getenv("COLUMNS");
    if (wish && atoi(wish) > 0)
        return (unsigned)atoi(wish);
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* The locale decides, as it does for every other program; without one the glyphs are plain. */
static bool is_ascii(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* NULL: *status says how to end. */
static json_t *load(const char *path, int *status)
{
    json_error_t why;
    struct stat st;
    *status = STATUS_FAILED;
    if (stat(path, &st) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            say("profile file '%s' not found.", path);
        else
            say("cannot read the profile file '%s': %s.", path, strerror(errno));
        return NULL;
    }
    if (S_ISDIR(st.st_mode) || access(path, R_OK) != 0) {
        say("cannot read the profile file '%s': %s.", path,
            strerror(S_ISDIR(st.st_mode) ? EISDIR : errno));
        return NULL;
    }
    json_t *profile = json_load_file(path, 0, &why);
    if (!profile || !json_is_object(profile)) {
        say("invalid JSON in profile file '%s'.", path);
        json_decref(profile);
        return NULL;
    }
    return profile;
}

static int show(const char *path, const struct text_options *options)
{
    int status;
    struct err e;
    json_t *profile = load(path, &status);
    if (!profile)
        return status;
    signal(SIGPIPE, SIG_IGN);
    status = STATUS_OK;
    if (json_object_size(profile) == 0) {
        say("there is no profile data in '%s'.", path);
    } else {
        errno = 0;
        bool is_shown = report_text(profile, options, stdout, &e) && fflush(stdout) == 0;
        /* A reader that has seen enough (| head) is no failure. */
        if (!is_shown && errno != EPIPE)
            status = fail(STATUS_FAILED, "cannot write to the standard output.");
    }
    json_decref(profile);
    return status;
}

int view_in_terminal(const char *path)
{
    struct text_options options = {
        .columns = columns(), .has_colour = wants_colour("auto"), .is_ascii = is_ascii()};
    return show(path, &options);
}

static int view(const struct view_options *values, const struct parsed *parsed)
{
    const char *path = parsed->rest.n ? parsed->rest.items[0] : OUTPUT_DEFAULT;
    struct text_options options = {.columns = columns(),
                                   .has_colour = wants_colour(values->colour),
                                   .is_ascii = is_ascii(),
                                   .lines = values->is_reduced ? TEXT_LINES_REDUCED
                                            : values->is_all   ? TEXT_LINES_ALL
                                                               : TEXT_LINES_USUAL};
    if (!values->is_terminal)
        say("the page for the browser is not there yet: this is the terminal view.");
    return show(path, &options);
}

static bool is_colour(const char *when)
{
    return strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 || strcmp(when, "never") == 0;
}

int view_main(const char *const *arguments)
{
    struct view_options values = {.colour = "auto"};
    struct parsed parsed;
    struct err e;
    int status = STATUS_OK;
    if (!options_parse(&view_command, arguments, &values, &parsed, &e))
        status = fail(STATUS_USAGE, e.text);
    else if (values.wants_help)
        options_help(&view_command, true, stdout);
    else if (!is_colour(values.colour))
        status = fail(STATUS_USAGE, "--color is auto, always or never.");
    else if (parsed.rest.n > 1)
        status = fail(STATUS_USAGE, "view shows one profile at a time.");
    else
        status = view(&values, &parsed);
    parsed_fini(&parsed);
    return status;
}
