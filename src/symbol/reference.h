/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the places in machine code that name one of a few addresses by a 32-bit displacement, which
 * counts from its own end: so do calls, jumps and jumps through a slot.
 *
 * Code is looked at byte by byte, whatever instructions it consists of: whoever asks must check
 * what stands before the displacement. */
#ifndef SCALENE_SYMBOL_REFERENCE_H
#define SCALENE_SYMBOL_REFERENCE_H

#include "symbol/elf.h"

#define REFERENCE_BYTES 4u

struct reference_scan {
    const struct elf_image *image;
    struct elf_range range; /* where displacements may begin */
    const uint64_t *targets;
    size_t n_targets;
    uint64_t at;     /* of the displacement found last; begins as the range's low end */
    uint64_t target; /* what it names */
    bool is_begun;
};
bool reference_next(struct reference_scan *scan);

#endif
