/* SPDX-License-Identifier: Apache-2.0 */
/* The profile as JSON: scalene-profile.json, described by schema/profile.schema.json. */
#ifndef SCALENE_REPORT_JSON_H
#define SCALENE_REPORT_JSON_H

#include "analyze/profile.h"
#include "base/err.h"
#include "source/source.h"

#include <stdbool.h>
#include <stdio.h>

#define REPORT_SCHEMA_VERSION 1u

struct report_options {
    double cpu_percent_threshold;   /* a file is shown from this share of the CPU time on */
    const double *malloc_threshold; /* or from this many allocations on; NULL: from a megabyte */
    bool is_reduced;                /* only lines with samples, not every line of a file */
    bool has_no_stacks, has_no_leaks;
    /* Where the texts come from: sources_of() in the program; NULL: there are none. */
    const struct source *(*source_of)(void *context, const char *path);
    void *source_context;
    const char *version;    /* of this program; NULL: the one it was built as */
    const char *engine;     /* what took the samples */
    double collector_cpu_s; /* what the program itself used */
};

/* Same profile, same options, same texts: same bytes. */
bool report_json(const struct profile_result *r, const struct report_options *o, FILE *out,
                 struct err *e);

/* Half the width of the 95% interval, in points, of a share of `fraction` (0..1) that n_samples
 * samples tell of (Wilson's interval: it behaves at 0, at 1 and with few samples). */
double report_error_points(double fraction, uint64_t n_samples);
/* The same for a cost among all: how much CPU and idle time there was is known, the samples tell
 * whose the one is, the looks whose the other is. 0 where nothing was seen. */
double report_cost_error(const struct cost *cost, const struct cost *total, uint64_t n_even);

#endif
