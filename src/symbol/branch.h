/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and jumps in machine code: how a function was called, and where it jumps to when it is
 * left. Code is looked at byte by byte, without decoding all instructions: a pattern can be found
 * inside another instruction, so whoever asks must check that the target makes sense. */
#ifndef SCALENE_SYMBOL_BRANCH_H
#define SCALENE_SYMBOL_BRANCH_H

#include "symbol/elf.h"

enum call_form {
    CALL_UNKNOWN,
    CALL_DIRECT,   /* to `target`, perhaps by way of a stub at `stub` */
    CALL_INDIRECT, /* through a pointer in a register's memory at `displacement` */
};

struct call {
    enum call_form form;
    uint64_t target;  /* 0: outside the file */
    uint64_t stub;    /* what the instruction itself names */
    int displacement; /* -1: not of the form call *disp8(register) */
};

/* The call instruction that ends at a return address. */
struct call branch_call_before(const struct elf_image *image, uint64_t return_address);

/* True when a system call instruction ends at an address. */
bool branch_is_after_syscall(const struct elf_image *image, uint64_t address);

/* Steps through the near jumps of a range that lead out of it but stay in the executable part.
 * `at` begins as the range's low end. */
struct branch_scan {
    const struct elf_image *image;
    struct elf_range range;
    uint64_t at;
    uint64_t target; /* of the jump found last */
};
bool branch_next(struct branch_scan *scan);

/* True when the 32-bit displacement at an address can be that of a direct call or jump. */
bool branch_ends_at(const struct elf_image *image, uint64_t displacement);

/* True when a function jumps, as its last act, into `to`: directly or by way of one more function.
 * That is how a call of one function becomes a frame of another. */
bool branch_leads_to(const struct elf_image *image, uint64_t function, struct elf_range to);

#endif
