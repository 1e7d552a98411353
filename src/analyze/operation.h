/* SPDX-License-Identifier: Apache-2.0 */
/* Samples by instruction, to find the ones that are one long C operation.
 *
 * Multiplying two numbers of a million digits is a single instruction and no call, yet native by
 * any measure. Such an instruction stands out: in ordinary code the dearest instruction of a
 * function has 2 to 30 times the samples of the others, a long operation over a thousand times.
 * And where nearly all of them are in the C library, it copies or fills memory: to be sure of that
 * takes fewer. */
#ifndef SCALENE_ANALYZE_OPERATION_H
#define SCALENE_ANALYZE_OPERATION_H

#include "analyze/code.h"

struct operation {
    struct code *code; /* borrowed */
    uint64_t n_samples;
    uint64_t n_helper;  /* of these, outside the evaluation loop and in no call */
    uint64_t n_library; /* of those, in the C library */
};

/* Zero-initialise. */
struct operations {
    struct operation *items;
    size_t n, room;
    struct map ids;
};

/* Where the processor was. */
enum operation_place { OPERATION_ELSEWHERE, OPERATION_HELPER, OPERATION_LIBRARY };

/* Counts a sample whose innermost frame stands at this instruction; returns the operation's id. */
uint32_t operations_count(struct operations *operations, struct code *code, int32_t instr,
                          enum operation_place place);
bool operation_is_long(const struct operation *operation);
void operations_fini(struct operations *operations);

#endif
