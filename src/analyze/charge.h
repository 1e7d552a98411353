/* SPDX-License-Identifier: Apache-2.0 */
/* Where time goes: the line and stack that frames as recorded are charged to. */
#ifndef SCALENE_ANALYZE_CHARGE_H
#define SCALENE_ANALYZE_CHARGE_H

#include "analyze/state.h"

struct charge {
    uint32_t frame; /* of struct places; PLACES_NO_FRAME: no frame is of a profiled file */
    uint32_t stack; /* of struct stacks, where there is a frame */
};

/* The innermost frame of a profiled file, and the stack of all such frames. */
struct charge charge_find(struct profile *profile, const struct process *process,
                          const struct record_frame *frames, size_t n, bool is_cut);
/* The same with the stack among others than the profile's own, and nothing remembered. */
struct charge charge_into(struct profile *profile, struct stacks *stacks,
                          const struct process *process, const struct record_frame *frames,
                          size_t n, bool is_cut);
/* The line a thread was last seen on. */
struct charge charge_last(const struct thread *thread);
/* Merges stacks when there are far more than the result will have. No struct charge from before is
 * good after it. */
void charge_limit_stacks(struct profile *profile);

#endif
