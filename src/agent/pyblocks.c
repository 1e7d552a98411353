/* SPDX-License-Identifier: Apache-2.0 */
/* Neither of Python's allocators exports a function for it, but their memory is regular.
 *
 *     pymalloc: pools of 4 or 16 KiB, aligned to their size, of blocks of one size
 *               +--------------------- 36: n, for blocks of 16 * (n + 1) bytes ---- - -
 *
 *     mimalloc (3.13 and later): segments of 32 MiB, aligned, of slices of 64 KiB
 *               +------+--------------+--------------+- ...
 *               | head | slice 0      | slice 1      |
 *               +------+--------------+--------------+- ...
 *                      ^ at            <-- length --->
 *     slice      4: bytes back to the first slice of the page   28 or 40: size of its blocks
 *
 * What differs by version and build is found by looking for the only place under which blocks of
 * known sizes have these sizes. */
#include "agent/pyblocks.h"

#include "agent/peek.h"

#include "agent/safe.h"

#define POOL_MAX       16384u
#define POOL_CLASS_AT  36
#define SEGMENT_BYTES  (UINT64_C(32) << 20)
#define SLICE_SHIFT    16
#define SLICE_BACK_AT  4
#define DEBUG_BYTES    64u   /* at most so many has a debug build around a block */
#define PLACES_MAX     1024u /* the array of slices begins before that */
#define SLICE_MIN      64u
#define SLICE_MAX      160u
#define N_SIZES        6
#define N_SIZES_POOLED 4

/* Of every kind that either of them has: pymalloc leaves those above 512 bytes to malloc. */
static const size_t sizes[N_SIZES] = {24, 100, 250, 440, 5000, 300000};

/* Where sizes stand. Constant after boot. */
static struct layout {
    uint64_t (*size)(const struct layout *, uint64_t block); /* NULL: not known */
    uint32_t pool_bytes;
    uint32_t slices_at, slice_bytes, slice_size_at;
} layout;

static uint64_t size_in_pool(const struct layout *l, uint64_t block)
{
    uint32_t class;
    uint64_t pool = block & ~(uint64_t)(l->pool_bytes - 1);
    return peek_u32(pool + POOL_CLASS_AT, &class) && class < 32 ? 16 * (class + 1) : 0;
}

/* How much mimalloc rounds up by: to one of four sizes between two powers of two, or to pages, the
 * larger the more. What was asked for lies half-way between on the average. */
static uint64_t rounding_of(uint64_t size)
{
    static const struct {
        uint32_t below_kib, half_kib;
    } steps[] = {{512, 2}, {2048, 32}, {8192, 128}, {32768, 512}, {UINT32_MAX, 2048}};
    const uint64_t classed_max = 128 * 1024;
    size_t i = 0;
    if (size <= 64)
        return 0;
    if (size <= classed_max)
        return (UINT64_C(1) << (63 - __builtin_clzll(size - 1))) / 8;
    while (size / 1024 >= steps[i].below_kib)
        i++;
    return (uint64_t)steps[i].half_kib * 1024;
}

static uint64_t size_in_segment(const struct layout *l, uint64_t block)
{
    uint64_t segment = (block - 1) & ~(SEGMENT_BYTES - 1), first = segment + l->slices_at;
    uint64_t slice = first + ((block - segment) >> SLICE_SHIFT) * l->slice_bytes;
    uint32_t back, size;
    if (!peek_u32(slice + SLICE_BACK_AT, &back) || back > slice - first ||
        !peek_u32(slice - back + l->slice_size_at, &size))
        return 0;
    return size - rounding_of(size);
}

static bool has_size(const struct layout *l, uint64_t address, uint64_t n_bytes)
{
    uint64_t size = l->size(l, address);
    return size >= n_bytes - n_bytes / 8 && size <= n_bytes + n_bytes / 8 + DEBUG_BYTES;
}

/* The end of a large block is in another slice than its beginning. */
static bool fits(const struct layout *l, const uint64_t blocks[N_SIZES], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!has_size(l, blocks[i], sizes[i]) || !has_size(l, blocks[i] + sizes[i] - 1, sizes[i]))
            return false;
    return true;
}

static bool find_pools(struct layout *l, const uint64_t blocks[N_SIZES])
{
    l->size = size_in_pool;
    for (l->pool_bytes = 4096; l->pool_bytes <= POOL_MAX; l->pool_bytes *= 4)
        if (fits(l, blocks, N_SIZES_POOLED))
            return true;
    return false;
}

static bool find_slices(struct layout *l, uint32_t size_at, const uint64_t blocks[N_SIZES])
{
    l->size = size_in_segment;
    l->slice_size_at = size_at;
    for (l->slice_bytes = SLICE_MIN; l->slice_bytes <= SLICE_MAX; l->slice_bytes += 8)
        for (l->slices_at = 0; l->slices_at <= PLACES_MAX; l->slices_at += 8)
            if (fits(l, blocks, N_SIZES))
                return true;
    return false;
}

/* Nothing that would come to malloc is asked for: large blocks change what malloc does later. */
void pyblocks_learn(const struct pyblocks_functions *f, bool maps_itself)
{
    uint64_t blocks[N_SIZES] = {0};
    size_t n = maps_itself ? N_SIZES : N_SIZES_POOLED;
    struct layout found;
    bool is_whole = true;
    for (size_t i = 0; i < n; i++) {
        blocks[i] = (uint64_t)(uintptr_t)f->malloc(f->context, sizes[i]);
        is_whole = is_whole && blocks[i];
    }
    if (is_whole &&
        (maps_itself ? find_slices(&found, 28, blocks) || find_slices(&found, 40, blocks)
                     : find_pools(&found, blocks)))
        layout = found;
    for (size_t i = 0; i < n; i++)
        f->free(f->context, (void *)(uintptr_t)blocks[i]);
}

/* A large block is malloc's, and there may be nothing where its pool would begin. */
uint64_t pyblocks_size(const void *block)
{
    if (!block || !layout.size)
        return 0;
    uint64_t faults = peek_let_faults_in();
    uint64_t size = layout.size(&layout, (uint64_t)(uintptr_t)block);
    peek_keep_faults_out(faults);
    return size;
}
