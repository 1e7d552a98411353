/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/operation.h"

#define LONG_RATIO       100 /* between what was measured of ordinary code and of long operations */
#define LONG_SAMPLES_MIN 30  /* fewer could be chance */
/* When nothing else in the function was sampled, the others may still have half a sample to come.
 */
#define LEAST_MEAN 0.5
/* Ordinary instructions are in the C library for a third of their time at most, to get memory. */
#define LIBRARY_PART  0.8
#define LIBRARY_RATIO 20

uint32_t operations_count(struct operations *operations, struct code *code, int32_t instr,
                          enum operation_place place)
{
    const uint64_t key[] = {(uint64_t)(uintptr_t)code, (uint32_t)instr};
    bool is_new;
    size_t *id = map_at(&operations->ids, key, sizeof key, &is_new);
    if (is_new) {
        *id = operations->n;
        vec_push(operations)->code = code;
        code->n_operations++;
    }
    struct operation *operation = &operations->items[*id];
    operation->n_samples++;
    operation->n_helper += place != OPERATION_ELSEWHERE;
    operation->n_library += place == OPERATION_LIBRARY;
    code->n_samples++;
    return (uint32_t)*id;
}

bool operation_is_long(const struct operation *operation)
{
    const struct code *code = operation->code;
    uint64_t n_others = code->n_operations - 1;
    double mean =
        n_others ? (double)(code->n_samples - operation->n_samples) / (double)n_others : 0;
    if (mean < LEAST_MEAN)
        mean = LEAST_MEAN;
    bool is_library = (double)operation->n_library >= LIBRARY_PART * (double)operation->n_samples;
    return operation->n_helper >= LONG_SAMPLES_MIN &&
           (double)operation->n_helper > (is_library ? LIBRARY_RATIO : LONG_RATIO) * mean;
}

void operations_fini(struct operations *operations)
{
    vec_fini(operations);
    map_fini(&operations->ids);
}
