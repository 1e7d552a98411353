/* SPDX-License-Identifier: Apache-2.0 */
/* Answers remembered by the hash of the question, in a fixed amount of memory.
 *
 * Samples repeat: the same stack and the same path of PCs come again and again. A newer question
 * takes the place of an older one. Two questions with the same 64-bit hash would be mixed up, which
 * is accepted: it is less likely than a bit that flips by itself. */
#ifndef SCALENE_ANALYZE_MEMO_H
#define SCALENE_ANALYZE_MEMO_H

#include <stddef.h>
#include <stdint.h>

#define MEMO_SLOTS_MIN 4096u  /* powers of two: 64 KiB */
#define MEMO_SLOTS_MAX 65536u /* 1 MiB */

struct memo_slot {
    uint64_t hash; /* 0: empty */
    uint64_t answer;
};

/* Zero-initialise; the slots are made at first use, and more of them when they are asked for. */
struct memo {
    struct memo_slot *slots; /* owns */
    size_t n_slots;
    size_t n_misses; /* questions since then that were not remembered */
};

/* Mixes n words of 8 bytes into a hash; begin with any number. Never 0. */
uint64_t memo_hash(uint64_t hash, const void *words, size_t n);
/* The slot of a question: its hash equals the question's when it holds the answer, else the caller
 * fills in both before the next question. */
struct memo_slot *memo_slot(struct memo *memo, uint64_t hash);
void memo_clear(struct memo *memo);
void memo_fini(struct memo *memo);

#endif
