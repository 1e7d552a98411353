/* SPDX-License-Identifier: Apache-2.0 */
/* One line or function of the profile as a JSON object: the keys that both share, in one table. */
#ifndef SCALENE_REPORT_ROW_H
#define SCALENE_REPORT_ROW_H

#include "analyze/profile.h"
#include "report/write.h"
#include "source/source.h"

struct row {
    uint32_t lineno;
    const char *text; /* of a line: not ended by a zero */
    size_t n_text_bytes;
    const char *name;           /* of a function; NULL: this is a line */
    struct outline_place place; /* of a line */
    bool is_coroutine;
    const struct cost *cost;             /* NULL: nothing was measured */
    const struct cost *total;            /* what 100% is */
    uint64_t n_even;                     /* samples its CPU part rests on */
    const struct profile_memory *memory; /* NULL: nothing was measured */
    double all_allocated;                /* bytes: what n_usage_fraction is a part of */
    double elapsed_s;                    /* what copies are spread over */
    const double *waits_s;               /* by kind, where there is a cost */
    double core_utilization;
    const double *sample_times_s; /* may be NULL */
    size_t n_sample_times;
};

void row_write(struct writer *w, const struct row *row);

#endif
