/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of a notebook: code that was compiled under a name that is no file. A list tells what each
 * is called in the profile, and where its text lies. */
#ifndef SCALENE_CLI_CELLS_H
#define SCALENE_CLI_CELLS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct cell {
    const char *name;  /* as the code object has it */
    const char *shown; /* "[3]" */
    const char *path;  /* of a file with its text */
};

struct cells {
    vec_of(struct cell) items;
    struct arena arena;
};

/* Reads a list: a line for each cell, its three texts separated by tabs. */
bool cells_load(struct cells *cells, const char *path, struct err *e);
void cells_fini(struct cells *cells);
/* What code of this name is called in the profile; NULL: it is no cell. `cells` is a struct cells
 * *. */
const char *cells_shown(void *cells, const char *name);
/* Where the text of what is called so lies: the same name for what is no cell. */
const char *cells_text(const struct cells *cells, const char *shown);

#endif
