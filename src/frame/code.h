/* SPDX-License-Identifier: Apache-2.0 */
/* A code object in memory as the RECORD_CODE that describes it. */
#ifndef SCALENE_FRAME_CODE_H
#define SCALENE_FRAME_CODE_H

#include "frame/memory.h"
#include "wire/layout.h"
#include "wire/record.h"

#define CODE_BYTES 144 /* every field of a code object lies in its first bytes */
#define CODE_TEXTS 4   /* file name, name, qualified name, line table */

struct code_description {
    struct record_code record;                /* but for its id */
    struct record_string strings[CODE_TEXTS]; /* the record's own, and the line table */
    uint64_t texts[CODE_TEXTS];               /* where their characters lie */
};

/* Addresses are used again when a code object dies: this tells two of them apart.
 * Context: signal | any thread */
uint64_t code_digest(const struct memory *memory, const struct py_layout *layout, uint64_t code);
/* A str object; its characters lie at *data. */
struct record_string code_string(const struct memory *memory, const struct py_layout *layout,
                                 uint64_t object, uint64_t *data);
void code_describe(const struct memory *memory, const struct py_layout *layout, uint64_t code,
                   struct code_description *out);

#endif
