/* SPDX-License-Identifier: Apache-2.0 */
/* scalene view in the browser: served until the page is closed, or written to a file. */
#include "cli/view_page.h"

#include "base/arena.h"
#include "cli/browser.h"
#include "cli/cli.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/path.h"
#include "report/html.h"
#include "serve/page.h"
#include "serve/serve.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define HTML_DEFAULT "scalene-profile.html"
/* Time to copy the address into a browser, perhaps on another machine. */
#define PATIENCE_MS (15 * 60 * 1000)

static const char no_page[] = "this build of scalene has no page for the browser; "
                              "scalene view --cli shows the profile in the terminal.";

static size_t page_size(void)
{
    return (size_t)(page_html_end - page_html);
}

/* ---- the server ---- */

/* The page as it is served: it may ask this server, where the page in a file may ask nobody. */
static struct slice served_page(struct arena *arena)
{
    static const char in_file[] = "connect-src 'none'", served[] = "connect-src 'self'";
    char *page = arena_strndup(arena, page_html, page_size());
    char *place = strstr(page, in_file);
    if (place)
        memcpy(place, served, sizeof served - 1);
    return (struct slice){page, page_size()};
}
_Static_assert(sizeof "connect-src 'none'" == sizeof "connect-src 'self'", "written in place");

/* Ctrl-C, an end asked for from elsewhere and a closed terminal all just end the server. */
static int stop_signals(void)
{
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    return signalfd(-1, &stops, SFD_CLOEXEC);
}

static void invite(const struct site *site, bool is_quiet)
{
    char address[96];
    serve_address(site, address);
    bool is_open = !is_quiet && browser_open(address);
    if (!is_open && !is_quiet)
        say("no browser with a window was found: open the address below in one.");
    printf("%s\n", address);
    fflush(stdout);
    say("%s; ends when the page is closed, or by Ctrl-C.",
        is_open ? "shown in the browser" : "waits for the page to be opened");
}

static int serve(const struct view_page *view, struct site *site)
{
    struct err e;
    struct server *server = serve_open(site, &e);
    if (!server)
        return fail(STATUS_FAILED, e.text);
    /* The browser is started before the signals are blocked: it would inherit that. */
    invite(site, view->is_quiet);
    int stop = stop_signals();
    bool is_served = serve_run(server, stop, (int64_t)(view->linger_s * 1000), PATIENCE_MS, &e);
    serve_close(server);
    close(stop);
    return is_served ? STATUS_OK : fail(STATUS_FAILED, e.text);
}

int view_page_serve(const struct view_page *view)
{
    struct arena arena = {0};
    if (page_size() == 0)
        return fail(STATUS_FAILED, no_page);
    char *keys = view->has_keys ? keys_from_environment() : NULL;
    struct site site = {
        .page = served_page(&arena),
        .courier = {page_courier, (size_t)(page_courier_end - page_courier)},
        .profile = view->profile,
        .compare = view->compare,
        .keys = keys,
    };
    int status = serve(view, &site);
    keys_free(keys);
    arena_fini(&arena);
    return status;
}

/* ---- the file ---- */

struct sources {
    FILE *profile, *compare; /* compare may be NULL */
};

static bool write_html(void *context, FILE *out, struct err *e)
{
    const struct sources *sources = context;
    return report_html(page_html, page_size(), sources->profile, sources->compare, out, e);
}

/* The name of the file to write; it must not be one of those that are read. */
static bool plan(const struct view_page *view, const char **path, struct err *e)
{
    struct stat out, in;
    *path = view->outfile ? view->outfile : HTML_DEFAULT;
    if (!**path || strlen(*path) >= PATH_MAX - 16)
        return err_set(e, "the name of the output file is %s.", **path ? "too long" : "empty");
    if (path_is_folder(*path) || (*path)[strlen(*path) - 1] == '/')
        return err_set(e, "outfile '%s' is a directory.", *path);
    const char *inputs[] = {view->profile, view->compare};
    for (size_t i = 0; i < 2 && stat(*path, &out) == 0; i++)
        if (inputs[i] && stat(inputs[i], &in) == 0 && in.st_ino == out.st_ino &&
            in.st_dev == out.st_dev)
            return err_set(e, "outfile '%s' is the profile itself.", *path);
    return true;
}

static bool open_source(FILE **file, const char *path, struct err *e)
{
    *file = path ? fopen(path, "re") : NULL;
    if (path && !*file)
        return err_set(e, "cannot read the profile file '%s': %s.", path, strerror(errno));
    return true;
}

int view_page_write(const struct view_page *view)
{
    struct sources sources = {0};
    const char *path;
    struct err e;
    if (page_size() == 0)
        return fail(STATUS_FAILED, no_page);
    bool is_written = plan(view, &path, &e) && open_source(&sources.profile, view->profile, &e) &&
                      open_source(&sources.compare, view->compare, &e) &&
                      output_write(path, write_html, &sources, &e);
    if (sources.profile)
        fclose(sources.profile);
    if (sources.compare)
        fclose(sources.compare);
    if (!is_written)
        return fail(STATUS_FAILED, e.text);
    printf("Profile saved to: %s\n", path);
    return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILED;
}
