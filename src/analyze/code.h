/* SPDX-License-Identifier: Apache-2.0 */
/* The code objects of a process: whose lines its frames execute. */
#ifndef SCALENE_ANALYZE_CODE_H
#define SCALENE_ANALYZE_CODE_H

#include "analyze/linetable.h"
#include "base/map.h"
#include "base/vec.h"
#include "wire/record.h"

#include <stdbool.h>

#define CODE_ID_MAX (1u << 20) /* more than an agent has room for */

struct code {
    const char *path; /* absolute, or a name in angle brackets; kept once, in the strtab */
    const char *name; /* qualified from 3.11 on; kept once */
    int32_t first_line;
    bool is_profiled;
    bool is_coroutine;
    bool is_qualified;     /* `name` is a qualified name */
    bool is_comprehension; /* or a generator expression; `name` is then the function around it, as
                              far as the qualified name tells */
    struct linetable lines;
    /* What was sampled in it as the innermost frame (analyze/operation.h). */
    uint32_t n_operations;
    uint64_t n_samples;
};

/* By id. NULL: not described yet. */
typedef vec_of(struct code *) code_table;

/* Those described by the agent and those described from outside (CODE_ID_OUTSIDE) are numbered
 * apart. Zero-initialise. */
struct codes {
    code_table inside, outside;
    struct arena arena; /* owns the codes and their line tables */
};

/* What code objects need to know of their process. */
struct code_home {
    struct strtab *strings;
    const char *cwd; /* NULL: unknown */
    uint32_t hexversion;
};

/* NULL when the record is malformed. The caller decides whether its file is profiled. */
struct code *codes_add(struct codes *codes, const struct code_home *home,
                       const struct record_code *record);
/* NULL: no such code object. */
struct code *codes_find(const struct codes *codes, uint32_t id);
void codes_fini(struct codes *codes);

/* The line of an instruction (-1: before the first), never less than 1. */
int code_line(const struct code *code, int32_t instr);

#endif
