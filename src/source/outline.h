/* SPDX-License-Identifier: Apache-2.0 */
/* The outline of a Python file: its loops, functions and classes, and what each line lies in.
 *
 * It is made from tokens and indentation, so a file that Python would refuse has one too. Lines are
 * numbered from 1. */
#ifndef SCALENE_SOURCE_OUTLINE_H
#define SCALENE_SOURCE_OUTLINE_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum block_kind {
    BLOCK_LOOP,
    BLOCK_FUNCTION,
    BLOCK_CLASS,
};

#define BLOCK_NONE UINT32_MAX

struct block {
    enum block_kind kind;
    uint32_t first_line;           /* of the first decorator; start_line where there is none */
    uint32_t start_line, end_line; /* of the statement; the end is inclusive */
    uint32_t column;               /* indentation, tabs to multiples of 8 */
    uint32_t parent;               /* index of the block around it, or BLOCK_NONE */
    const char *name;              /* qualified as Python does; NULL for loops */
};

struct outline {
    vec_of(struct block) blocks;  /* by start_line: a block comes after its parent */
    vec_of(const char *) imports; /* statements on one line each, without repetition */
    uint32_t *innermost;          /* owns; by line - 1 the innermost block or BLOCK_NONE */
    uint32_t n_lines;
    struct arena names;
};

struct outline_span {
    uint32_t start, end; /* inclusive */
};

/* What surrounds a line; a span without such a block is the line itself, for `function` 0, 0. */
struct outline_place {
    struct outline_span region;         /* innermost loop, function or class */
    struct outline_span outermost_loop; /* within the innermost function */
    struct outline_span function;       /* innermost function or class */
    const char *name;                   /* of that function or class, or NULL */
};

void outline_init(struct outline *o, const char *text, size_t n_bytes, uint32_t n_lines);
void outline_fini(struct outline *o);
struct outline_place outline_place(const struct outline *o, uint32_t line);

/* The qualified name of a function known by its bare name and a line of it (its first, or any other
 * one); `name` itself when the file has no such function there. */
const char *outline_qualify(const struct outline *o, const char *name, uint32_t line);

#endif
