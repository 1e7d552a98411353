/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what Python asks for. Small blocks come out of arenas, large ones from malloc below us,
 * which counts them, too: so that they are not counted twice, what malloc is going to subtract from
 * the native countdown is added to it beforehand. That needs no flag and no branch in malloc. */
#include "agent/pymem.h"

#include "agent/agent.h"
#include "agent/blocks.h"
#include "agent/boot.h"
#include "agent/pyblocks.h"

#include "agent/safe.h"

enum { DOMAIN_MEM = 1, DOMAIN_OBJ = 2 };
#define SMALL_MAX_PROBED 600

/* PyMemAllocatorEx and PyObjectArenaAllocator. */
struct allocator {
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
};
struct arena_allocator {
    void *context;
    void *(*alloc)(void *, size_t);
    void (*free)(void *, void *, size_t);
};

static struct allocator below[3]; /* by domain; constant after boot */
static struct allocator lonely[3];
static struct arena_allocator arenas_below;
/* Requests above small_max reach malloc, with `extra` bytes more (debug builds); found by trying.
 */
static size_t small_max, extra;

static inline void compensate(size_t n)
{
    if (n > small_max)
        countdown_undo(MEMORY_NATIVE, n + extra);
}

static __attribute__((noinline, cold)) void *malloc_slow(const struct allocator *a, size_t n)
{
    compensate(n);
    void *block = a->malloc(a->context, n);
    blocks_new(MEMORY_PYTHON, block, n, 0);
    return block;
}

static void *py_malloc(void *context, size_t n)
{
    const struct allocator *a = context;
    if (countdown_takes(MEMORY_PYTHON, n))
        return malloc_slow(a, n);
    compensate(n);
    return a->malloc(a->context, n);
}

static __attribute__((noinline, cold)) void *calloc_slow(const struct allocator *a, size_t n,
                                                         size_t size)
{
    compensate(n * size);
    void *block = a->calloc(a->context, n, size);
    blocks_new(MEMORY_PYTHON, block, n * size, 0);
    return block;
}

static void *py_calloc(void *context, size_t n, size_t size)
{
    const struct allocator *a = context;
    if (countdown_takes(MEMORY_PYTHON, n * size))
        return calloc_slow(a, n, size);
    compensate(n * size);
    return a->calloc(a->context, n, size);
}

static uint64_t without_extra(uint64_t size)
{
    return size > extra ? size - extra : 0;
}

/* What a realloc to n bytes grew from, if Python's own allocator had a block of `own_size` before.
 * It rounds sizes up: of two blocks of its the difference counts, so that many small steps come to
 * what the last block has. */
static uint64_t grown_from(uint64_t own_size, const void *block, size_t n)
{
    uint64_t new_size = n <= small_max ? pyblocks_size(block) : 0;
    if (!own_size || !new_size)
        return without_extra(own_size);
    uint64_t growth = new_size > own_size ? new_size - own_size : 0;
    return growth < n ? n - growth : 0;
}

/* The size it grows from is asked for only when it is needed: the realloc below tells, if it is
 * called, for then the block is its; otherwise it is one of Python's own allocator. Whether the
 * block below is malloc's depends on the old size, too, so that here the native count is put aside
 * and back again. */
static void *py_realloc(void *context, void *old, size_t n)
{
    const struct allocator *a = context;
    struct countdown_thread *t = &countdown_thread;
    uint64_t native_left = t->domains[MEMORY_NATIVE].left;
    bool is_over = countdown_takes(MEMORY_PYTHON, n);
    bool was_sampled = objects_may_have(old) && blocks_gone(old);
    t->domains[MEMORY_NATIVE].left = UINT64_MAX;
    uint64_t own_size = is_over ? pyblocks_size(old) : 0;
    t->old_size = 0;
    t->wants_old_size = is_over;
    void *block = a->realloc(a->context, old, n);
    t->wants_old_size = false;
    t->domains[MEMORY_NATIVE].left = native_left;
    if (!block && n && was_sampled)
        blocks_back(old);
    if (is_over)
        blocks_new(MEMORY_PYTHON, block, n,
                   t->old_size ? without_extra(t->old_size) : grown_from(own_size, block, n));
    return block;
}

static __attribute__((noinline, cold)) void free_slow(const struct allocator *a, void *block)
{
    blocks_gone(block);
    a->free(a->context, block);
}

static void py_free(void *context, void *block)
{
    const struct allocator *a = context;
    if (objects_may_have(block))
        free_slow(a, block);
    else
        a->free(a->context, block);
}

static void *arena_alloc(void *context, size_t n)
{
    (void)context;
    countdown_thread.is_arena = true;
    void *arena = arenas_below.alloc(arenas_below.context, n);
    countdown_thread.is_arena = false;
    return arena;
}

static void arena_free(void *context, void *arena, size_t n)
{
    (void)context;
    arenas_below.free(arenas_below.context, arena, n);
}

/* ---- allocators that map their memory themselves (3.13's mimalloc) never call malloc: a layer
 * between them and us says so to mmap, as it is said of arenas ---- */

static void *lonely_malloc(void *context, size_t n)
{
    const struct allocator *a = context;
    countdown_thread.is_arena = true;
    void *block = a->malloc(a->context, n);
    countdown_thread.is_arena = false;
    return block;
}

static void *lonely_calloc(void *context, size_t n, size_t size)
{
    const struct allocator *a = context;
    countdown_thread.is_arena = true;
    void *block = a->calloc(a->context, n, size);
    countdown_thread.is_arena = false;
    return block;
}

static void *lonely_realloc(void *context, void *old, size_t n)
{
    const struct allocator *a = context;
    countdown_thread.is_arena = true;
    void *block = a->realloc(a->context, old, n);
    countdown_thread.is_arena = false;
    return block;
}

static void lonely_free(void *context, void *block)
{
    const struct allocator *a = context;
    a->free(a->context, block);
}

static void put_layer_between(int domain)
{
    lonely[domain] = below[domain];
    below[domain] = (struct allocator){&lonely[domain], lonely_malloc, lonely_calloc,
                                       lonely_realloc, lonely_free};
}

/* The smallest request that moves the native countdown, and by how much more than it asked for. */
static void find_small_max(void)
{
    const struct allocator *a = &below[DOMAIN_OBJ];
    uint64_t *left = &countdown_thread.domains[MEMORY_NATIVE].left, before;
    small_max = SIZE_MAX;
    for (size_t n = 1; n <= SMALL_MAX_PROBED && small_max == SIZE_MAX; n++) {
        before = *left = (uint64_t)1 << 40;
        void *block = a->malloc(a->context, n);
        uint64_t moved = before - *left;
        a->free(a->context, block);
        if (moved >= n && moved < n + 256) {
            small_max = n - 1;
            extra = (size_t)moved - n;
        }
    }
}

static void hook_arenas(void)
{
    void (*get)(struct arena_allocator *) = boot_symbol("PyObject_GetArenaAllocator");
    void (*set)(struct arena_allocator *) = boot_symbol("PyObject_SetArenaAllocator");
    if (!get || !set)
        return;
    get(&arenas_below);
    struct arena_allocator ours = {NULL, arena_alloc, arena_free};
    if (arenas_below.alloc)
        set(&ours);
}

void pymem_start(uint64_t mean_floor, bool is_fixed)
{
    void (*get)(int, struct allocator *) = boot_symbol("PyMem_GetAllocator");
    void (*set)(int, struct allocator *) = boot_symbol("PyMem_SetAllocator");
    if (!get || !set)
        return;
    if (below[DOMAIN_MEM].malloc) { /* our functions are there from an earlier time */
        countdown_start(mean_floor, is_fixed);
        return;
    }
    get(DOMAIN_MEM, &below[DOMAIN_MEM]);
    get(DOMAIN_OBJ, &below[DOMAIN_OBJ]);
    find_small_max();
    const struct allocator *a = &below[DOMAIN_OBJ];
    if (small_max)
        pyblocks_learn(&(struct pyblocks_functions){a->context, a->malloc, a->free},
                       small_max == SIZE_MAX);
    hook_arenas();
    countdown_start(mean_floor, is_fixed);
    for (int domain = DOMAIN_MEM; domain <= DOMAIN_OBJ; domain++) {
        if (small_max == SIZE_MAX)
            put_layer_between(domain);
        struct allocator ours = {&below[domain], py_malloc, py_calloc, py_realloc, py_free};
        set(domain, &ours);
    }
}
