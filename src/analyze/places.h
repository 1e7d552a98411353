/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, lines and frames, each kept once for all processes: what time is charged to. */
#ifndef SCALENE_ANALYZE_PLACES_H
#define SCALENE_ANALYZE_PLACES_H

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>

#define PLACES_NO_FRAME 0u  /* frames are numbered from 1 */
#define LINE_TIMES_MAX  500 /* as many moments as upstream's profiles keep for a line */

/* Texts are borrowed from one strtab, so that equal ones have the same address. */
struct function {
    const char *path, *name;
    int first_line;
    bool is_coroutine;
};

struct line {
    const char *path;
    int lineno;
    /* Every stride-th sample's moment; when they become too many, every other one is dropped. */
    vec_of(uint64_t) times_ns;
    uint64_t n_seen, stride;
};

/* A line as part of a function. */
struct frame {
    uint32_t function, line; /* indices */
};

/* Zero-initialise. */
struct places {
    vec_of(struct function) functions;
    vec_of(struct line) lines;
    vec_of(struct frame) frames; /* [0] is nowhere */
    struct map function_ids, line_ids, frame_ids;
};

uint32_t places_function(struct places *places, const struct function *function);
uint32_t places_frame(struct places *places, uint32_t function, int lineno);
/* A sample was taken on the frame's line at that moment. */
void places_seen(struct places *places, uint32_t frame, uint64_t time_ns);
void places_fini(struct places *places);

#endif
