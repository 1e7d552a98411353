/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as one HTML file: the page with the profile inside it. */
#ifndef SCALENE_REPORT_HTML_H
#define SCALENE_REPORT_HTML_H

#include "base/err.h"

#include <stdio.h>

/* `page` is the page as view/ builds it. `profile` and `compare` hold valid JSON; `compare` may be
 * NULL. */
bool report_html(const char *page, size_t n_page, FILE *profile, FILE *compare, FILE *out,
                 struct err *e);

#endif
