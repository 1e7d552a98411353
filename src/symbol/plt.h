/* SPDX-License-Identifier: Apache-2.0 */
/* Calls through the procedure linkage table and the global offset table, followed to the function
 * of the same file that they will reach once the dynamic linker is done. */
#ifndef SCALENE_SYMBOL_PLT_H
#define SCALENE_SYMBOL_PLT_H

#include "symbol/elf.h"

/* Fills image->slots from the relocations; called by elf_parse. */
void plt_read_slots(struct elf_image *image);
/* The function a slot of the global offset table points at; 0: not a function of this file. */
uint64_t plt_slot_target(const struct elf_image *image, uint64_t slot);
/* The function behind a stub, or the address itself when there is no stub, or 0 when the stub
 * leads out of the file. */
uint64_t plt_target(const struct elf_image *image, uint64_t address);
/* The stubs that lead to a function, at most `room` of them: how many were found. */
size_t plt_stubs(const struct elf_image *image, uint64_t function, uint64_t *stubs, size_t room);

#endif
