/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline of the result: whose time, and when. */
#ifndef SCALENE_ANALYZE_PARTS_H
#define SCALENE_ANALYZE_PARTS_H

#include "analyze/sums.h"

#define PARTS_MAX     256u   /* threads told apart */
#define PARTS_CELLS   16384u /* kept with the slice they are in: a few hundred kilobytes of JSON */
#define PARTS_SETTLED 49152u /* kept without: then fewer threads are told apart */

/* Whose time the accounts of one part number are. */
struct owner {
    uint32_t process, into; /* into: number of the part of the result */
    const char *name;       /* NULL: the number stands for nobody, or was pooled */
    size_t n_threads;
    double cpu_s, seconds;
    /* Of the first thread of a pool: how many are in it, and for how long they lived in all. */
    size_t n_pooled;
    double lived_ns;
};

/* What parts are made of. In both ledgers an account's frame is a site, its verdict the kind. */
struct parts {
    struct owner *owners; /* by part number; [0] is nobody */
    size_t n_owners;
    uint32_t *into; /* by part number: the same, or that of its pool */
    uint32_t *next; /* by part number: the next thread of a pool that is divided; 0: none */
    struct ledger cells, waits;
};

/* Finds out who is who: parts->owners, into and next. (parts_owner.c) */
void parts_own(struct parts *parts, const struct profile *profile,
               const struct profile_result *result);
/* Decides which owners are told apart: sets `into` of each, from 0 on in the order of the result;
 * returns how many parts there are. Others become one part for each process. (parts_limit.c) */
size_t parts_limit(struct parts *parts, size_t n_processes);
/* Leaves a slice to the dearest cells alone, the others have PROFILE_NONE; `rest` gets when those
 * were, with PROFILE_NONE for a site. (parts_limit.c) */
void parts_limit_cells(struct ledger *cells, struct ledger *rest);

/* Fills in the timeline of the result, and the parts of its threads. */
void parts_result(const struct profile *profile, struct sums *sums, struct profile_result *result);

#endif
