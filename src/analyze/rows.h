/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a thread in a row, and how sure sums of them are.
 *
 * Two samples of a thread lie from half to one and a half means apart (agent/countdown.h). So what
 * n samples stand for that follow one another strays by sqrt(n / 12) means, while n samples that
 * are strewn among those of other places are as good as independent, and stray by sqrt(n (1 - p)),
 * p the chance of each. In between it is enough to look one sample back:
 *
 *      ... B  A  A  A  A  B  A  B ...       of the samples of a place A
 *             |  |  |  |     |              one that follows an A     adds   w^2 / 12
 *             1  +  +  +     1              another, the first (1),   adds   w^2 (1 - p)
 *
 * to the variance, w being the bytes it stands for. In a random mixture in which A has the part q
 * that is n (1 - q) (1 - p) + n q / 12, as it should be. Where A comes in stretches of some samples
 * each, the first of every stretch adds too much, and the error is told up to 1.7 times too wide.
 *
 * Of what is live the same holds, but that a sample whose neighbour before is gone is a first one:
 * what lies between the two is not all there any more. */
#ifndef SCALENE_ANALYZE_ROWS_H
#define SCALENE_ANALYZE_ROWS_H

#include "analyze/heap.h"
#include "analyze/places.h"

#include "wire/record.h"

/* Which sums a block and the one before it have both a part in; bits in the order of sites_of(). */
enum row_bond { ROW_WHOLE = 1, ROW_LINE = 2, ROW_FUNCTION = 4 };

#define ROWS                                                                                       \
    256u /* threads beyond so many may lose their last sample to one another: a first one */

/* The latest sample of a thread in one domain. */
struct row {
    uint64_t address;
    uint32_t serial; /* of its block; 0: there is none */
    uint32_t tid, frame;
    uint16_t outside, domain;
};

/* The row a sampled block belongs to. */
struct row *rows_of(struct heap *heap, const struct record_alloc *record);
/* What a block of that place has in common with the latest of the row: bits of row_bond. */
unsigned rows_bonds(const struct row *row, const struct places *places,
                    const struct record_alloc *record, uint32_t frame, uint16_t outside);
/* Whether the latest block of the row is still there. */
bool rows_is_live(const struct row *row, const struct heap *heap);
/* A block that has been added to the heap is the latest now. */
void rows_add(struct row *row, struct heap *heap, const struct record_alloc *record,
              const struct block *block);
/* The block behind one that is gone, which has become a first one; NULL: there is none. */
struct block *rows_next(struct heap *heap, const struct block *gone);

/* The variance that one sample adds to a sum: of so many bytes, taken with that chance. */
static inline double rows_variance(double bytes, double chance, bool is_first)
{
    return chance >= 1 ? 0 : bytes * bytes * (is_first ? 1 - chance : 1.0 / 12);
}

/* The same of a block that is live, in the i-th sum of sites_of(). */
static inline double rows_block_variance(const struct block *block, size_t i)
{
    double bytes = (double)block->bytes;
    return block->bonds >> i & 1 ? bytes * bytes / 12 : block->variance;
}

#endif
