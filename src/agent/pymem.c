/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what Python asks for. Small blocks come out of arenas, large ones from malloc below us,
 * which counts them, too: so that they are not counted twice, what malloc is going to subtract from
 * the native countdown is added to it beforehand. That needs no flag and no branch in malloc. */
#include "agent/pymem.h"

#include "agent/agent.h"
#include "agent/blocks.h"
#include "agent/boot.h"

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
static struct arena_allocator arenas_below;
/* Requests above small_max reach malloc, with `extra` bytes more (debug builds); found by trying.
 */
static size_t small_max, extra;

static inline void compensate(size_t n)
{
    if (n > small_max)
        countdown_undo(MEMORY_NATIVE, n + extra);
}

static void *count(void *block, size_t n, size_t old_size)
{
    blocks_new(MEMORY_PYTHON, block, n, old_size);
    return block;
}

static void *py_malloc(void *context, size_t n)
{
    const struct allocator *a = context;
    bool is_over = countdown_takes(MEMORY_PYTHON, n);
    compensate(n);
    void *block = a->malloc(a->context, n);
    return is_over ? count(block, n, 0) : block;
}

static void *py_calloc(void *context, size_t n, size_t size)
{
    const struct allocator *a = context;
    bool is_over = countdown_takes(MEMORY_PYTHON, n * size);
    compensate(n * size);
    void *block = a->calloc(a->context, n, size);
    return is_over ? count(block, n * size, 0) : block;
}

/* The size it grows from is asked for only when it is needed: the realloc below tells. */
static void *py_realloc(void *context, void *old, size_t n)
{
    const struct allocator *a = context;
    struct countdown_thread *t = &countdown_thread;
    bool is_over = countdown_takes(MEMORY_PYTHON, n);
    bool was_sampled = objects_may_have(old) && blocks_gone(old);
    compensate(n);
    t->old_size = 0;
    t->wants_old_size = is_over;
    void *block = a->realloc(a->context, old, n);
    t->wants_old_size = false;
    if (!block && n && was_sampled)
        blocks_back(old);
    return is_over ? count(block, n, t->old_size) : block;
}

static void py_free(void *context, void *block)
{
    const struct allocator *a = context;
    if (objects_may_have(block))
        blocks_gone(block);
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

void pymem_start(uint64_t mean_floor)
{
    void (*get)(int, struct allocator *) = boot_symbol("PyMem_GetAllocator");
    void (*set)(int, struct allocator *) = boot_symbol("PyMem_SetAllocator");
    if (!get || !set)
        return;
    get(DOMAIN_MEM, &below[DOMAIN_MEM]);
    get(DOMAIN_OBJ, &below[DOMAIN_OBJ]);
    find_small_max();
    hook_arenas();
    countdown_start(mean_floor);
    for (int domain = DOMAIN_MEM; domain <= DOMAIN_OBJ; domain++) {
        struct allocator ours = {&below[domain], py_malloc, py_calloc, py_realloc, py_free};
        set(domain, &ours);
    }
}
