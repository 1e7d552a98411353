/* SPDX-License-Identifier: Apache-2.0 */
/* From an instruction of a code object to its line, for the three formats CPython has had. */
#ifndef SCALENE_ANALYZE_LINETABLE_H
#define SCALENE_ANALYZE_LINETABLE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

#define LINETABLE_NO_LINE INT32_MIN

/* From `offset` bytes into the bytecode up to the next entry, the line is `line`. */
struct linetable_entry {
    uint32_t offset;
    int32_t line; /* LINETABLE_NO_LINE: instructions without one */
};

/* Entries by offset; of several with the same offset the last counts. */
struct linetable {
    const struct linetable_entry *entries; /* in the arena it was decoded into */
    size_t n;
};

/* Decodes the table of a code object of the CPython of that hexversion. A damaged table is decoded
 * up to the damage. */
struct linetable linetable_decode(struct arena *arena, uint32_t hexversion, int32_t first_line,
                                  const uint8_t *bytes, size_t n_bytes);

/* The entry an instruction belongs to, NULL when it lies before the first. */
const struct linetable_entry *linetable_find(const struct linetable *table, uint32_t offset);

#endif
