/* SPDX-License-Identifier: Apache-2.0 */
/* scalene view: a profile in the browser, in a file or in the terminal. */
#include "base/jsontext.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/view_page.h"
#include "report/agent.h"
#include "report/narrow.h"
#include "report/text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Long enough for a reload, or for a browser that starts again and brings its pages back. */
#define LINGER_S 20

struct view_options {
    bool wants_help, is_terminal, is_html, is_standalone, is_reduced, is_all, has_keys, is_quiet;
    const char *colour, *outfile, *compare;
    double linger_s;
    bool is_agent;
    double tokens;
    struct narrow_wish wish;
};

#define AT(member) .offset = offsetof(struct view_options, member)

static const struct option view_table[] = {
    {.name = "help", .letter = 'h', AT(wants_help), .help = "show this and end"},
    {.name = "cli", AT(is_terminal), .help = "show the profile in the terminal"},
    {.name = "agent",
     AT(is_agent),
     .help = "print the dearest lines with facts, confidence and source as Markdown, for a coding "
             "agent to read"},
    {.name = "tokens",
     .kind = OPTION_NUMBER,
     .value = "N",
     AT(tokens),
     .low = 100,
     .high = 1e6,
     .wants = "a number of tokens from 100 to 1000000",
     .help = "with --agent: about how long it may be (2000)"},
    {.name = "html",
     AT(is_html),
     .help = "write scalene-profile.html, a page that needs no network, and open no browser"},
    {.name = "standalone",
     AT(is_standalone),
     .help = "the same: every page that is written has everything in it"},
    {.name = "outfile",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .value = "FILE",
     AT(outfile),
     .help = "where the page is written"},
    {.name = "compare",
     .kind = OPTION_TEXT,
     .value = "FILE",
     AT(compare),
     .wants = "a profile",
     .help = "another profile, shown beside it on the page"},
    {.name = "api-keys-from-env",
     AT(has_keys),
     .help = "hand the keys for AI providers that are in the environment to the page in the "
             "browser; they are in no file"},
    {.name = "no-browser", AT(is_quiet), .help = "print the address of the page and open nothing"},
    {.name = "linger",
     .kind = OPTION_NUMBER,
     .value = "SECONDS",
     AT(linger_s),
     .low = 0.1,
     .high = 86400,
     .wants = "a number of seconds from 0.1 to 86400",
     .help = "how long the server stays after the page was closed (20)"},
    {.name = "reduced",
     .letter = 'r',
     AT(is_reduced),
     .help = "in the terminal: only lines with activity"},
    {.name = "all", AT(is_all), .help = "in the terminal: every line of every file"},
    {.name = "thread",
     .kind = OPTION_TEXT,
     .value = "NAME",
     AT(wish.thread),
     .wants = "the name or number of a thread",
     .help = "in the terminal: only what this thread did"},
    {.name = "process",
     .kind = OPTION_TEXT,
     .value = "PID",
     AT(wish.process),
     .wants = "the number of a process",
     .help = "in the terminal: only what this process did"},
    {.name = "color",
     .kind = OPTION_TEXT,
     .value = "WHEN",
     AT(colour),
     .help = "auto (default: on a terminal, unless NO_COLOR is set), always or never"},
};
static const struct option_part view_part = {view_table, sizeof view_table / sizeof *view_table};

const struct option_table view_command = {
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

/* Whether there is something to read at all. */
static bool is_readable(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        bool is_usual = strcmp(path, OUTPUT_DEFAULT) == 0;
        if (errno == ENOENT || errno == ENOTDIR)
            say("profile file '%s' not found.%s", path,
                is_usual ? " scalene run prog.py writes it here." : "");
        else
            say("cannot read the profile file '%s': %s.", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(st.st_mode) || access(path, R_OK) != 0) {
        say("cannot read the profile file '%s': %s.", path,
            strerror(S_ISDIR(st.st_mode) ? EISDIR : errno));
        return false;
    }
    return true;
}

static void say_foreign(const char *path)
{
    say("'%s' is JSON, but no profile that scalene run has written.", path);
}

/* NULL: *status says how to end. */
static json_t *load(const char *path, int *status)
{
    json_error_t why;
    *status = STATUS_FAILED;
    if (!is_readable(path))
        return NULL;
    json_t *profile = json_load_file(path, 0, &why);
    bool is_object = json_is_object(profile);
    if (is_object && (json_object_size(profile) == 0 || json_object_get(profile, "files")))
        return profile;
    if (is_object)
        say_foreign(path);
    else
        say("invalid JSON in profile file '%s'.", path);
    json_decref(profile);
    return NULL;
}

/* In the terminal; with a number of tokens, as text for an agent; with a wish, a part of it. */
static int show(const char *path, const struct text_options *options, unsigned n_tokens,
                const struct narrow_wish *wish)
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
    } else if ((wish->thread || wish->process) && !narrow_profile(profile, wish, &e)) {
        status = fail(STATUS_FAILED, e.text);
    } else {
        errno = 0;
        bool is_shown = n_tokens ? report_agent(profile, n_tokens, stdout, &e)
                                 : report_text(profile, options, stdout, &e);
        is_shown &= fflush(stdout) == 0;
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
    return show(path, &options, 0, &(struct narrow_wish){0});
}

/* Whether it may be a profile, by a glance: it has files, or nothing at all. */
static bool has_files(const char *bytes, size_t n)
{
    return memmem(bytes, n, "\"files\"", strlen("\"files\"")) || !memchr(bytes, '"', n);
}

/* Whether the page could show it; it is not read into memory, since it may be large. */
static bool is_profile(const char *path)
{
    struct stat st;
    void *bytes = MAP_FAILED;
    if (!is_readable(path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (is_file && st.st_size > 0)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    bool is_object = bytes != MAP_FAILED && jsontext_is_object(bytes, (size_t)st.st_size);
    bool is_ours = is_object && has_files(bytes, (size_t)st.st_size);
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)st.st_size);
    if (fd >= 0)
        close(fd);
    if (!is_file)
        say("cannot read the profile file '%s': it is no regular file.", path);
    else if (!is_object)
        say("invalid JSON in profile file '%s'.", path);
    else if (!is_ours)
        say_foreign(path);
    return is_ours;
}

static int view_page(const struct view_options *values, const char *path)
{
    struct view_page page = {.profile = path,
                             .compare = values->compare,
                             .outfile = values->outfile,
                             .has_keys = values->has_keys,
                             .is_quiet = values->is_quiet,
                             .linger_s = values->linger_s};
    bool is_file = values->is_html || values->is_standalone || values->outfile;
    if (values->has_keys && is_file)
        return fail(STATUS_FAILED, "--api-keys-from-env is for the page in the browser alone: "
                                   "keys are never written to a file.");
    if (!is_profile(path) || (values->compare && !is_profile(values->compare)))
        return STATUS_FAILED;
    return is_file ? view_page_write(&page) : view_page_serve(&page);
}

static int view(const struct view_options *values, const struct parsed *parsed)
{
    const char *path = parsed->rest.n ? parsed->rest.items[0] : OUTPUT_DEFAULT;
    if (!values->is_terminal && !values->is_agent) {
        if (values->wish.thread || values->wish.process)
            return fail(STATUS_USAGE, "--thread and --process are for --cli and --agent; on the "
                                      "page, choose them under Processes.");
        return view_page(values, path);
    }
    if (values->has_keys)
        return fail(STATUS_FAILED, "--api-keys-from-env is for the page in the browser alone, "
                                   "not for --cli or --agent.");
    struct text_options options = {.columns = columns(),
                                   .has_colour = wants_colour(values->colour),
                                   .is_ascii = is_ascii(),
                                   .lines = values->is_reduced ? TEXT_LINES_REDUCED
                                            : values->is_all   ? TEXT_LINES_ALL
                                                               : TEXT_LINES_USUAL};
    return show(path, &options, values->is_agent ? (unsigned)values->tokens : 0, &values->wish);
}

static bool is_colour(const char *when)
{
    return strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 || strcmp(when, "never") == 0;
}

int view_main(const char *const *arguments)
{
    struct view_options values = {.colour = "auto", .linger_s = LINGER_S, .tokens = 2000};
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
