/* SPDX-License-Identifier: Apache-2.0 */
/* Where functions begin and end, by the unwind tables, which stripped files keep too. */
#ifndef SCALENE_SYMBOL_EH_FRAME_H
#define SCALENE_SYMBOL_EH_FRAME_H

#include "symbol/elf.h"

/* The range of the table entry (FDE) that holds an address: a function, the cold part of one, or
 * the whole procedure linkage table. False: no entry holds it. */
bool eh_frame_function(const struct elf_image *image, uint64_t address, struct elf_range *range);

#endif
