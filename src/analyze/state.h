/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile holds while records come in. Only files of analyze/ look inside. */
#ifndef SCALENE_ANALYZE_STATE_H
#define SCALENE_ANALYZE_STATE_H

#include "analyze/gil.h"
#include "analyze/history.h"
#include "analyze/memory.h"
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
    struct ledger idle;   /* idle time by frame and stack */
    struct ledger waits;  /* waits of all threads by frame and kind, without stacks */
    struct gil gil;
    struct history history;
    struct memory memory;
    double waits_ns[WAIT_KINDS]; /* on all lines and on none */
    uint64_t n_samples, n_unknown_records;
    double weights, squares; /* of the samples: their sum, and that of their squares, in ns */
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

/* Takes one RECORD_WAIT or RECORD_IDLE likewise. (wait.c) */
bool wait_add(struct profile *profile, struct process *process, const struct record_wait *record);
bool wait_add_idle(struct profile *profile, struct process *process,
                   const struct record_wait *record);

/* A thread ends, or its process does: a wait that began and was never told to be over. (wait.c) */
void wait_close(struct profile *profile, struct thread *thread, uint64_t time_ns);

/* Works out profile->result. (result.c) */
void result_make(struct profile *profile);
/* (stack_result.c) */
struct profile_frame result_frame(const struct places *places, uint32_t id);
/* A stack without its cost. */
struct profile_stack result_stack(const struct places *places, struct arena *arena,
                                  const struct stack *stack);
/* An order of stacks by their frames, for those that are equal otherwise. */
int result_compare_stacks(const struct profile_stack *a, const struct profile_stack *b);

/* Memory as part of the result: first what is live at the end is settled. (memory_result.c) */
void memory_settle(struct profile *profile);
struct profile_memory memory_line(const struct profile *profile, struct arena *arena, size_t line);
struct profile_process_memory memory_process(const struct process *process);
struct profile_memory memory_function(const struct profile *profile, size_t function);
/* Fills in profile->result.heap. */
void memory_result(struct profile *profile, struct arena *arena);

#endif
