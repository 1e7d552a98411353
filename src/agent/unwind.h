/* SPDX-License-Identifier: Apache-2.0 */
/* The return addresses between the interrupted instruction and Python's evaluation loop. */
#ifndef SCALENE_AGENT_UNWIND_H
#define SCALENE_AGENT_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

struct unwind_range {
    uint64_t low, high; /* [low, high) */
};

#define UNWIND_PARTS 8

/* The evaluation loop: a function and the cold parts the compiler moved elsewhere. Written by boot
 * before the first sample. */
struct unwind_target {
    struct unwind_range parts[UNWIND_PARTS];
    uint32_t n_parts;
};
extern struct unwind_target unwind_target;

bool unwind_is_eval(uint64_t pc);

/* Fills `pcs` from the interrupted PC outwards, until one lies in the evaluation loop (then
 * *has_reached is true), the stack cannot be followed, or `max` are there: their number.
 * Context: signal */
unsigned unwind(const void *ucontext, uint64_t *pcs, unsigned max, bool *has_reached);

#endif
