/* SPDX-License-Identifier: Apache-2.0 */
/* Loads from memory that may not be there. A fault in one of them is caught by signals.c, which
 * asks peek_recover where to go on. */
#ifndef SCALENE_AGENT_PEEK_H
#define SCALENE_AGENT_PEEK_H

#include "frame/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: nothing can be read there, *out is 0. Context: signal | hook | boot */
bool peek_u64(uint64_t address, uint64_t *out);
bool peek_u32(uint64_t address, uint32_t *out);
bool peek_u8(uint64_t address, uint8_t *out);
bool peek_bytes(uint64_t address, void *out, size_t n_bytes);
extern const struct memory peek_memory; /* the same for frame/ */

/* The value, or 0 when nothing can be read there. */
static inline uint64_t peek_word(uint64_t address)
{
    uint64_t value;
    peek_u64(address, &value);
    return value;
}

/* If `pc` is the load of a peek: the address at which it fails cleanly. Otherwise 0. */
uint64_t peek_recover(uint64_t pc);

/* Bytes read one after the other, a whole aligned word at a time. */
struct peek_reader {
    uint64_t at, end; /* [at, end) is still to be read */
    uint64_t word_at; /* where `word` was loaded from; 1: nothing yet */
    uint64_t word;
    bool has_failed; /* read past the end, or unreadable: everything since was 0 */
};

static inline struct peek_reader peek_reader(uint64_t at, uint64_t end)
{
    return (struct peek_reader){.at = at, .end = end, .word_at = 1};
}

uint8_t peek_next_u8(struct peek_reader *r);
uint64_t peek_next(struct peek_reader *r, unsigned n_bytes); /* little-endian, up to 8 */
uint64_t peek_next_uleb(struct peek_reader *r);
int64_t peek_next_sleb(struct peek_reader *r);

/* A fault while its signal is blocked would be the end: outside of our handlers, whoever peeks
 * where a fault is possible does it between these two. Context: hook */
uint64_t peek_let_faults_in(void);
void peek_keep_faults_out(uint64_t faults);

#endif
