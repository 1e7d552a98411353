/* SPDX-License-Identifier: Apache-2.0 */
/* Whose time an account is, and when it was: every thread has a number, and the run is cut into
 * slices of equal length. When it outgrows them, or the accounts become too many, two neighbours
 * each become one, in all ledgers. */
#ifndef SCALENE_ANALYZE_HISTORY_H
#define SCALENE_ANALYZE_HISTORY_H

#include "analyze/ledger.h"

#include <stdbool.h>

struct profile;
struct process;
struct thread;

#define HISTORY_SLICES 256u /* as many as a screen has room for */

/* Zero-initialise. */
struct history {
    uint64_t origin_ns;  /* when the first slice begins: with the first process */
    uint64_t slice_ns;   /* 0: nothing came yet */
    uint32_t slices_max; /* HISTORY_SLICES, or fewer when there were too many accounts */
    uint32_t n_parts;    /* numbers given to threads, from 1 on */
    uint64_t n_added;    /* since accounts were last counted */
};

/* Time within a span, which may be longer where several threads share it. */
struct history_span {
    uint64_t start_ns, end_ns;
    double time_ns;
    uint64_t n_seen; /* samples or looks */
};

/* The slice of a moment. All slices from before may have been halved after it. */
uint32_t history_slice(struct profile *profile, uint64_t time_ns);
struct thread *history_new_thread(struct profile *profile, struct process *process, uint32_t tid,
                                  uint64_t cpu_ns);
/* The number of a thread; NULL: of those nobody told of. */
uint32_t history_part(struct profile *profile, struct process *process,
                      const struct thread *thread);
/* Adds time to the slices of its span; the account's own slice does not matter. */
void history_add(struct profile *profile, struct ledger *ledger, const struct account *account,
                 const struct history_span *span);

#endif
