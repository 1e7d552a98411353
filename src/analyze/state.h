/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile holds while records come in. Only files of analyze/ look inside. */
#ifndef SCALENE_ANALYZE_STATE_H
#define SCALENE_ANALYZE_STATE_H

#include "analyze/operation.h"
#include "analyze/places.h"
#include "analyze/process.h"
#include "analyze/profile.h"
#include "analyze/stack.h"

#define PROFILE_MAX_STACKS 10000u

struct profile {
    struct profile_input input;
    struct arena arena;     /* owns the texts that are kept once a process or run */
    struct strtab strings;  /* paths and names of functions */
    struct map process_ids; /* the collector's number -> index plus one */
    vec_of(struct process *) processes;
    struct judge_cache judge_cache;
    struct places places;
    struct stacks stacks;
    struct memo stack_memo; /* frames as sampled -> frame << 32 | stack */
    struct operations operations;
    struct ledger ledger; /* of threads that are over */
    uint64_t n_samples, n_unknown_records;
    const char *program, *entry_folder, *program_path; /* of RECORD_RUN */
    const char *const *arguments;
    struct arena result_arena; /* owns the latest result */
    struct profile_result result;
};

/* Takes one RECORD_SAMPLE whose fixed part is there; false when it is malformed. (sample.c) */
bool sample_add(struct profile *profile, struct process *process,
                const struct record_sample *sample);
/* A thread ends: its sums are passed on to the profile. (sample.c) */
void sample_end_thread(struct profile *profile, struct process *process, struct thread *thread);

/* Works out profile->result. (result.c) */
void result_make(struct profile *profile);

#endif
