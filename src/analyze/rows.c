/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/rows.h"

struct row *rows_of(struct heap *heap, const struct record_alloc *record)
{
    if (!heap->rows) {
        heap->rows = xrealloc(NULL, ROWS * sizeof *heap->rows);
        memset(heap->rows, 0, ROWS * sizeof *heap->rows);
    }
    return &heap->rows[(2 * record->tid + record->domain) % ROWS];
}

unsigned rows_bonds(const struct row *row, const struct places *places,
                    const struct record_alloc *record, uint32_t frame, uint16_t outside)
{
    if (!row->serial || row->tid != record->tid || row->domain != record->domain)
        return 0;
    if (frame == PLACES_NO_FRAME || row->frame == PLACES_NO_FRAME) {
        bool is_same = frame == row->frame && outside == row->outside;
        return ROW_WHOLE | (is_same ? ROW_LINE : 0);
    }
    struct frame here = places->frames.items[frame], there = places->frames.items[row->frame];
    return ROW_WHOLE | (here.line == there.line ? ROW_LINE : 0) |
           (here.function == there.function ? ROW_FUNCTION : 0);
}

bool rows_is_live(const struct row *row, const struct heap *heap)
{
    const struct block *block = heap_find(heap, row->address);
    return block && row->serial && block->serial == row->serial;
}

void rows_add(struct row *row, struct heap *heap, const struct record_alloc *record,
              const struct block *block)
{
    if (block->before)
        heap_find(heap, row->address)->next = block->address;
    *row = (struct row){.address = block->address,
                        .serial = block->serial,
                        .tid = record->tid,
                        .frame = block->frame,
                        .outside = block->outside,
                        .domain = record->domain};
}

struct block *rows_next(struct heap *heap, const struct block *gone)
{
    struct block *next = gone->next ? heap_find(heap, gone->next) : NULL;
    return next && next->before == gone->serial ? next : NULL;
}
