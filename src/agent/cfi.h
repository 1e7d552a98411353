/* SPDX-License-Identifier: Apache-2.0 */
/* How to get from a function's frame to its caller's, from the .eh_frame tables every library
 * carries. */
#ifndef SCALENE_AGENT_CFI_H
#define SCALENE_AGENT_CFI_H

#include "agent/modules.h"

#include <stdbool.h>
#include <stdint.h>

/* The registers a caller wants back, in the order of cfi_row.saved. */
enum cfi_register { CFI_RBX, CFI_RBP, CFI_R12, CFI_R13, CFI_R14, CFI_R15, CFI_REGISTERS };

enum cfi_base {
    CFI_NO_RULE, /* this frame cannot be unwound */
    CFI_BASE_RSP,
    CFI_BASE_RBP,
    CFI_BASE_RBX,
    CFI_BASE_R12,
    CFI_BASE_R13,
    CFI_BASE_R14,
    CFI_BASE_R15,
    CFI_BASE_PLT, /* a stub of the procedure linkage table: rsp + 8, or + 16 after its push */
};

/* The frame's address is base + offset; its return address lies right below that; register r was
 * saved `saved[r]` words below it, or is untouched where that is 0. */
struct cfi_row {
    enum cfi_base base;
    int32_t offset;
    uint8_t saved[CFI_REGISTERS];
};

/* The rule at `pc`, which must lie in `module`. Context: signal */
struct cfi_row cfi_find(const struct module *module, uint64_t pc);

/* The function [low, high) around `pc`. False: no table says so. Context: signal | boot */
bool cfi_function(const struct module *module, uint64_t pc, uint64_t *low, uint64_t *high);

#endif
