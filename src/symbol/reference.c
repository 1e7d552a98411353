/* SPDX-License-Identifier: Apache-2.0 */
/* An interpreter has megabytes of code, and every run looks through them once: hence sixteen places
 * at a time, by the vectors that every x86-64 has. */
#include "symbol/reference.h"

#define PLACES 16u /* looked at together */

typedef uint32_t lanes __attribute__((vector_size(16)));
/* The same, wherever it lies in memory. */
typedef uint32_t lanes_anywhere __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t halves __attribute__((vector_size(16)));

static inline lanes named_from(const uint8_t *bytes, lanes ends)
{
    return *(const lanes_anywhere *)(const void *)bytes + ends;
}

/* Whether one of the places that begin here may name a target. In 32 bits: a hit that is none for
 * that reason is found out later. */
static inline bool is_near_hit(const uint8_t *bytes, uint32_t address, const uint64_t *targets,
                               size_t n_targets)
{
    lanes ends = address + (lanes){4, 8, 12, 16}, hits = {0};
    lanes first = named_from(bytes, ends), second = named_from(bytes + 1, ends + 1);
    lanes third = named_from(bytes + 2, ends + 2), fourth = named_from(bytes + 3, ends + 3);
    for (size_t i = 0; i < n_targets; i++) {
        lanes target = (uint32_t)targets[i] - (lanes){0};
        hits |= (lanes)((first == target) | (second == target) | (third == target) |
                        (fourth == target));
    }
    halves any = (halves)hits;
    return (any[0] | any[1]) != 0;
}

static bool is_hit(struct reference_scan *scan, const uint8_t *bytes, uint64_t at)
{
    uint64_t target = at + REFERENCE_BYTES + elf_displacement(bytes);
    for (size_t i = 0; i < scan->n_targets; i++)
        if (scan->targets[i] == target) {
            scan->at = at;
            scan->target = target;
            return true;
        }
    return false;
}

bool reference_next(struct reference_scan *scan)
{
    uint64_t at = scan->at + scan->is_begun;
    uint64_t left = elf_bytes_left(scan->image, at);
    const uint8_t *bytes = elf_code(scan->image, at, left);
    scan->is_begun = true;
    if (!bytes || left < REFERENCE_BYTES || at >= scan->range.high)
        return false;
    uint64_t n = left - (REFERENCE_BYTES - 1); /* places that can be read whole */
    n = n < scan->range.high - at ? n : scan->range.high - at;
    for (uint64_t i = 0; i < n;) {
        bool is_whole = i + PLACES <= n;
        if (is_whole &&
            !is_near_hit(bytes + i, (uint32_t)(at + i), scan->targets, scan->n_targets)) {
            i += PLACES;
            continue;
        }
        uint64_t end = is_whole ? i + PLACES : n;
        for (; i < end; i++)
            if (is_hit(scan, bytes + i, at + i))
                return true;
    }
    return false;
}
