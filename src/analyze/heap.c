/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/heap.h"

#include "analyze/places.h"

#include <math.h>

#define LEAST_ROOM     1024u
#define SAME_MEAN      32768.0 /* for which the rule of leaks was made */
#define FIRST_CLASS_NS 1000000u

static size_t home_of(const struct heap *heap, uint64_t address)
{
    return (size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (heap->room - 1);
}

/* The slot that holds an address, or the empty one where it would go. */
static size_t slot_of(const struct heap *heap, uint64_t address)
{
    size_t i = home_of(heap, address);
    while (heap->slots[i].address && heap->slots[i].address != address)
        i = (i + 1) & (heap->room - 1);
    return i;
}

static void grow(struct heap *heap)
{
    struct heap old = *heap;
    heap->room = old.room ? 2 * old.room : LEAST_ROOM;
    heap->slots = xrealloc(NULL, heap->room * sizeof *heap->slots);
    memset(heap->slots, 0, heap->room * sizeof *heap->slots);
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i].address)
            heap->slots[slot_of(heap, old.slots[i].address)] = old.slots[i];
    free(old.slots);
}

bool heap_add(struct heap *heap, const struct block *block, struct block *old)
{
    if (2 * (heap->n + 1) > heap->room)
        grow(heap);
    struct block *slot = &heap->slots[slot_of(heap, block->address)];
    bool had_old = slot->address != 0;
    *old = *slot;
    *slot = *block;
    heap->n += !had_old;
    return had_old;
}

/* Moves up the blocks behind an empty slot that would not be found any more. */
static void close_gap(struct heap *heap, size_t gap)
{
    size_t mask = heap->room - 1;
    for (size_t i = (gap + 1) & mask; heap->slots[i].address; i = (i + 1) & mask) {
        size_t home = home_of(heap, heap->slots[i].address);
        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        heap->slots[gap] = heap->slots[i];
        gap = i;
    }
    heap->slots[gap].address = 0;
}

struct block *heap_find(const struct heap *heap, uint64_t address)
{
    size_t i = heap->n && address ? slot_of(heap, address) : 0;
    return heap->n && address && heap->slots[i].address ? &heap->slots[i] : NULL;
}

bool heap_remove(struct heap *heap, uint64_t address, struct block *block)
{
    if (heap->n == 0 || address == 0)
        return false;
    size_t i = slot_of(heap, address);
    if (heap->slots[i].address == 0)
        return false;
    *block = heap->slots[i];
    heap->gone[heap->n_gone++ % HEAP_GONE] = *block;
    heap->n--;
    close_gap(heap, i);
    return true;
}

bool heap_restore(struct heap *heap, uint64_t address, struct block *block)
{
    for (uint64_t k = 1; k <= HEAP_GONE && k <= heap->n_gone; k++) {
        struct block *gone = &heap->gone[(heap->n_gone - k) % HEAP_GONE];
        if (gone->address != address)
            continue;
        *block = *gone;
        gone->address = 0;
        return address != 0;
    }
    return false;
}

void heap_add_stack(struct heap *heap, const struct heap_stack *stack)
{
    uint32_t at = stack->id % HEAP_STACKS;
    while (heap->stacks.n <= at)
        vec_push(&heap->stacks);
    heap->stacks.items[at] = *stack;
}

struct heap_stack heap_stack_of(const struct heap *heap, uint32_t id)
{
    uint32_t at = id % HEAP_STACKS;
    if (id == 0 || at >= heap->stacks.n || heap->stacks.items[at].id != id)
        return (struct heap_stack){.frame = PLACES_NO_FRAME};
    return heap->stacks.items[at];
}

/* ---- ages ---- */

static void widen(struct ages *ages)
{
    for (size_t i = 0; i < HEAP_AGES / 2; i++)
        ages->weights[i] = ages->weights[2 * i] + ages->weights[2 * i + 1];
    memset(ages->weights + HEAP_AGES / 2, 0, sizeof ages->weights / 2);
    ages->class_ns *= 2;
}

/* The chance with which a block was sampled that stands for more than it has. */
static double chance_of(const struct block *block)
{
    double bytes = (double)block->bytes;
    return block->bytes ? 1 - block->variance / (bytes * bytes) : 1;
}

double heap_size(const struct block *block)
{
    return (double)block->bytes * chance_of(block);
}

double heap_weight(const struct block *block)
{
    if (block->bytes == 0)
        return 1;
    return fmin(1, heap_size(block) / SAME_MEAN) / chance_of(block);
}

void heap_aged(struct heap *heap, uint32_t line, uint64_t age_ns, double weight)
{
    while (heap->ages.n <= line)
        vec_push(&heap->ages);
    struct ages *ages = heap->ages.items[line];
    if (!ages) {
        ages = heap->ages.items[line] = xrealloc(NULL, sizeof *ages);
        *ages = (struct ages){.class_ns = FIRST_CLASS_NS};
    }
    while (age_ns / ages->class_ns >= HEAP_AGES)
        widen(ages);
    ages->weights[age_ns / ages->class_ns] += weight;
}

/* Of the class the age lies in, the part behind it. */
double heap_older(const struct heap *heap, uint32_t line, uint64_t age_ns)
{
    const struct ages *ages = line < heap->ages.n ? heap->ages.items[line] : NULL;
    if (!ages || age_ns / ages->class_ns >= HEAP_AGES)
        return 0;
    uint64_t class = age_ns / ages->class_ns;
    double part = 1 - (double)(age_ns % ages->class_ns) / (double)ages->class_ns;
    double n = part * ages->weights[class];
    for (uint64_t i = class + 1; i < HEAP_AGES; i++)
        n += ages->weights[i];
    return n;
}

void heap_fini(struct heap *heap)
{
    for (size_t i = 0; i < heap->ages.n; i++)
        free(heap->ages.items[i]);
    vec_fini(&heap->ages);
    vec_fini(&heap->stacks);
    free(heap->rows);
    free(heap->looks);
    free(heap->slots);
    *heap = (struct heap){.is_ended = heap->is_ended};
}
