/* SPDX-License-Identifier: Apache-2.0 */
/* How the thing to run is found: from the command line to what is executed. */
#ifndef SCALENE_CLI_PROGRAM_H
#define SCALENE_CLI_PROGRAM_H

#include "base/arena.h"
#include "base/err.h"
#include "collect/collect.h"

struct program_wish {
    const char *python;       /* --python; NULL: find one */
    const char *module;       /* -m; NULL: none */
    const char *code;         /* -c; NULL: none */
    const char *const *flags; /* of python, n_flags of them */
    size_t n_flags;
    const char *const *rest; /* the program and its arguments, or only these with -m and -c */
    size_t n_rest;
    const char *called_as; /* scalene itself, to find the environment it belongs to; may be NULL */
    const char *root;      /* --program-path; NULL: the folder of the program */
};

struct program {
    const char *const *argv; /* NULL-ended; argv[0] is what is executed */
    struct collect_run run;
};

/* Everything found lives in the arena, or is borrowed from the wish. */
bool program_find(struct program *program, const struct program_wish *wish, struct arena *arena,
                  struct err *e);
/* Whether a word of the command line names a program, as `scalene prog.py` does. */
bool program_is_named(const char *word, struct arena *arena);

#endif
