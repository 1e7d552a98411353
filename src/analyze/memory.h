/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of all processes, replayed: sampled blocks come and go, and every line, every function and
 * the whole keep their sums. Times are nanoseconds since the first process began. */
#ifndef SCALENE_ANALYZE_MEMORY_H
#define SCALENE_ANALYZE_MEMORY_H

#include "analyze/memory_site.h"
#include "analyze/stack.h"

#include "wire/record.h"

struct memory_peak {
    uint64_t bytes, python_bytes, time_ns;
    double variance;
    uint32_t frame; /* whose allocation made it; PLACES_NO_FRAME: on no line */
};

/* Zero-initialise. */
struct memory {
    bool is_measured;
    uint64_t start_ns; /* of the first process, CLOCK_MONOTONIC */
    uint64_t last_ns;  /* the latest moment in any record */
    vec_of(struct site) lines, functions;
    struct site total, outside[PROFILE_OUTSIDES];
    uint64_t python_live;
    struct memory_peak peak, rise; /* rise: as the peak would be, were it now */
    struct stacks stacks;
    vec_of(double) stack_bytes; /* allocated, by stack */
    struct timeline resident, shared;
    uint64_t rss, pss;                          /* of all processes now */
    uint64_t asked_mean, least_mean, most_mean; /* least and most: of the samples; 0: none */
    uint64_t n_copies;
    uint64_t n_chosen;   /* blocks that were sampled, not taken because they are large */
    double chosen_bytes; /* what those stand for */
};

struct profile;
struct process;

/* Records of these kinds, whose fixed part is there; false when one is malformed. */
bool memory_add_stack(struct profile *profile, struct process *process,
                      const struct record_stack *record);
bool memory_add_alloc(struct profile *profile, struct process *process,
                      const struct record_alloc *record);
bool memory_add_free(struct profile *profile, struct process *process,
                     const struct record_free *record);
bool memory_add_resident(struct profile *profile, struct process *process,
                         const struct record_resident *record);
/* The process is over, and its memory is gone. */
void memory_end_process(struct profile *profile, struct process *process);
void memory_fini(struct memory *memory);

/* Adds what is live in a process at that moment, and what leaks, to the ends of its sites;
 * is_ended: for good. */
void memory_add_end(struct profile *profile, struct process *process, uint64_t end_ns,
                    bool is_ended);
/* Notes the state of all lines if there is more memory now than ever. */
void memory_note_peak(struct memory *memory);

#endif
