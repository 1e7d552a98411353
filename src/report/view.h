/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON profile as the text view wants it: read once, with every value in its range.
 *
 * It takes our own profiles and upstream's 2.x ones, and any other JSON: what is missing, null or
 * of another type is empty, numbers are cut to what can be. */
#ifndef SCALENE_REPORT_VIEW_H
#define SCALENE_REPORT_VIEW_H

#include "base/arena.h"
#include "base/vec.h"
#include "report/waits.h"
#include "source/outline.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a profile has; a column is shown only where there is something to show. */
enum view_feature {
    VIEW_MEMORY = 1,
    VIEW_COPY = 2,
    VIEW_GPU = 4,
    VIEW_AWAIT = 8,
    VIEW_SAMPLES = 16, /* counts and seconds, which upstream does not have */
    VIEW_WAITS = 32,
};

/* Part of the wall time: who waited less is not mentioned. */
#define VIEW_LEAST_WAIT 0.01

/* Shares are in percent of the CPU and idle time of the program. */
struct view_row {
    uint32_t lineno;
    const char *text; /* of a line without its end, or the name of a function; borrows */
    size_t n_bytes;
    double python, native, system, time; /* time: the sum */
    double idle;                         /* part of system */
    double seconds, error;
    uint64_t n_samples;         /* and looks at idle moments: what the time rests on */
    double waits_s[WAIT_KINDS]; /* of all threads; apart from the time */
    double await, gpu, peak_mb, alloc_mb, copy_mb_s, usage;
    double at_peak_mb;            /* live when the whole was largest */
    double held;                  /* that in percent of the whole */
    const json_t *leak;           /* of a line; borrows; NULL: none */
    const json_t *memory_samples; /* borrows; may be NULL */
    bool is_active;               /* anything was measured here */
};

typedef vec_of(struct view_row) view_rows;

struct view_file {
    const char *path; /* borrows */
    double percent;
    view_rows lines, functions;
    bool has_text; /* false: the source could not be read */
    /* The lines, each ended by \n: what the colours and the outline are made of. Owns. */
    char *text;
    size_t n_bytes;
    uint8_t *paints;        /* owns; by byte of text */
    struct outline outline; /* its line n is lines.items[n - 1] */
    const json_t *leaks;    /* borrows; may be NULL */
};

struct view {
    const json_t *profile;         /* borrows */
    unsigned features;             /* enum view_feature */
    double python, native, system; /* percent */
    double largest;                /* share of the dearest line or function */
    double elapsed_s;
    double cpu_s, idle_s;        /* 0 when unknown */
    uint64_t n_samples, n_looks; /* 0 when unknown */
    double waits_s[WAIT_KINDS];
    vec_of(struct view_file) files; /* the dearest first */
    struct arena texts;
};

void view_init(struct view *v, const json_t *profile);
void view_fini(struct view *v);

/* Values of an object that may be missing or of the wrong type: 0, "", NULL then. */
double view_number(const json_t *object, const char *key);
const char *view_text(const json_t *object, const char *key);

/* A path as people say it: relative to the program's folder where it lies in it. */
const char *view_short_path(const struct view *v, const char *path);
/* The function or class around a line, "" at the top level. */
const char *view_function(const struct view_file *file, size_t line_index);

#endif
