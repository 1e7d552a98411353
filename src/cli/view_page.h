/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways of `scalene view` to the browser: a server on loopback, or a file. */
#ifndef SCALENE_CLI_VIEW_PAGE_H
#define SCALENE_CLI_VIEW_PAGE_H

#include <stdbool.h>

struct view_page {
    const char *profile, *compare; /* paths, known to hold JSON; compare may be NULL */
    const char *outfile;           /* of the HTML; NULL: scalene-profile.html */
    bool has_keys;                 /* the page gets the keys of the environment */
    bool is_quiet;                 /* no browser is opened */
    double linger_s;               /* how long the server stays after the page was closed */
};

/* Both return the exit status. */
int view_page_serve(const struct view_page *view);
int view_page_write(const struct view_page *view);

#endif
