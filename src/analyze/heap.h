/* SPDX-License-Identifier: Apache-2.0 */
/* The sampled blocks of one process that are not given back yet, by address. A block keeps the
 * weight it was recorded with, so that what is added for it is what is taken away again. */
#ifndef SCALENE_ANALYZE_HEAP_H
#define SCALENE_ANALYZE_HEAP_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_GONE   16u /* blocks given back that may be restored: one a thread in a realloc */
#define HEAP_AGES   256u
#define HEAP_STACKS (1u << 20) /* the latest stacks that are known; the agent's table has 2^14 */

struct block {
    uint64_t address; /* 0: an empty slot */
    uint64_t time_ns; /* when it was allocated */
    uint64_t bytes;   /* it stands for */
    double variance;  /* of that, if nothing was known of the samples beside it (rows.h) */
    uint64_t next;    /* address of the one sampled next in its row; 0: none. That one is it only
                       * if its `before` says so */
    uint32_t serial;  /* of a block of a row, from 1; 0: it is exact */
    uint32_t before;  /* serial of the one before in its row, if that was live; 0: none */
    uint32_t frame;   /* of struct places; PLACES_NO_FRAME: on no line */
    uint16_t outside; /* enum profile_outside; of a block on no line */
    uint8_t bonds;    /* with the one before, while that is live: enum row_bond */
    bool is_python;
};

/* How old blocks of a line were when they were given back: their weights by age, in classes of one
 * width that doubles when a block is older than all of them. */
struct ages {
    uint64_t class_ns;
    double weights[HEAP_AGES];
};

/* Where the allocations of a RECORD_STACK are charged to. */
struct heap_stack {
    uint32_t frame, stack; /* of struct places and of the memory's struct stacks */
    uint32_t id;           /* of the record; 0: none */
};

/* What a process asked for and what it occupies. */
struct heap_sums {
    double allocated;
    uint64_t live, largest, largest_ns; /* largest_ns: when, since the first process began */
    uint64_t left;                      /* live when it ended */
    uint64_t rss, largest_rss, pss, largest_pss;
    uint64_t shared; /* rss - pss when both were known last; valid when pss is not 0 */
};

struct leak;
struct row;

/* Zero-initialise. */
struct heap {
    struct block *slots; /* owns; open addressing, at most half full */
    size_t n, room;
    struct block gone[HEAP_GONE]; /* the latest, in a circle */
    uint64_t n_gone;
    vec_of(struct heap_stack) stacks; /* by id modulo HEAP_STACKS */
    struct row *rows;                 /* of threads (rows.h); NULL: no sample came yet. Owns */
    uint32_t last_serial;
    vec_of(struct ages *) ages; /* by line; NULL: none was given back. Owns */
    struct leak *looks;         /* by line, at the latest look (leak.c). Owns */
    size_t n_looks;
    uint64_t next_look_ns; /* since the start of the process */
    bool is_ended;         /* what is live at the end was noted */
};

/* True: another block lay there, whose end was lost; it is copied to *old. */
bool heap_add(struct heap *heap, const struct block *block, struct block *old);
/* The block at an address, until the next one is added or taken out; NULL: none. */
struct block *heap_find(const struct heap *heap, uint64_t address);
/* Takes a block out; false when it is not known. */
bool heap_remove(struct heap *heap, uint64_t address, struct block *block);
/* The block that lay at an address and was given back of late; false when there is none. */
bool heap_restore(struct heap *heap, uint64_t address, struct block *block);

void heap_add_stack(struct heap *heap, const struct heap_stack *stack);
/* Where a stack of the process is charged to; the frame is PLACES_NO_FRAME when it is not known. */
struct heap_stack heap_stack_of(const struct heap *heap, uint32_t id);

/* The bytes that the block itself has. */
double heap_size(const struct block *block);
/* How many samples a block would have been at a mean of 32 KiB: the agent's changes in the course
 * of a run, and what is counted early and late must be counted alike. */
double heap_weight(const struct block *block);
void heap_aged(struct heap *heap, uint32_t line, uint64_t age_ns, double weight);
/* The weight of the blocks of a line that were given back at that age or later. */
double heap_older(const struct heap *heap, uint32_t line, uint64_t age_ns);
void heap_fini(struct heap *heap);

#endif
