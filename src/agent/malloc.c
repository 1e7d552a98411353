/* SPDX-License-Identifier: Apache-2.0 */
/* The libc's allocation functions: count the bytes, call the real one.
 *
 * They are called before anything of ours has started, by the dynamic linker's own needs even while
 * the real functions are being looked up: until then a small pool serves, whose blocks are never
 * given back. The filter of sampled blocks says that every block of the pool may be one, so that
 * free and realloc take their slow path for it without a test of its own. */
#include "agent/malloc.h"
#include "agent/agent.h"
#include "agent/blocks.h"
#include "agent/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define COLD __attribute__((noinline, cold))

#define POOL_BYTES 65536u
static _Alignas(16) unsigned char pool[POOL_BYTES];
static _Atomic size_t pool_used;
static _Atomic int lookup_state; /* 0 not begun, 1 under way, 2 done */

/* ---- before the real functions are known ---- */

static bool is_of_pool(const void *block)
{
    return (const unsigned char *)block >= pool && (const unsigned char *)block < pool + POOL_BYTES;
}

static void *pool_alloc(size_t n)
{
    size_t need = (n + 15) & ~(size_t)15;
    size_t at = atomic_fetch_add_explicit(&pool_used, need, memory_order_relaxed);
    if (need < n || need > POOL_BYTES || at > POOL_BYTES - need)
        return NULL;
    objects_pin(pool + at);
    return pool + at;
}

static COLD void *first_malloc(size_t n)
{
    return heap_ready() ? heap.malloc(n) : pool_alloc(n);
}

static COLD void *first_calloc(size_t n, size_t size)
{
    if (heap_ready())
        return heap.calloc(n, size);
    return pool_alloc(n * size); /* the pool is zero and never reused */
}

static COLD void *first_realloc(void *block, size_t n)
{
    return heap_ready() ? heap.realloc(block, n) : pool_alloc(n);
}

static COLD void first_free(void *block)
{
    if (heap_ready())
        heap.free(block);
}

struct heap heap = {
    .malloc = first_malloc, .calloc = first_calloc, .realloc = first_realloc, .free = first_free};

static const struct {
    const char *name;
    size_t at; /* offset of its pointer in struct heap */
} functions[] = {
    {"malloc", offsetof(struct heap, malloc)},
    {"calloc", offsetof(struct heap, calloc)},
    {"realloc", offsetof(struct heap, realloc)},
    {"free", offsetof(struct heap, free)},
    {"posix_memalign", offsetof(struct heap, posix_memalign)},
    {"aligned_alloc", offsetof(struct heap, aligned_alloc)},
    {"memalign", offsetof(struct heap, memalign)},
    {"valloc", offsetof(struct heap, valloc)},
    {"pvalloc", offsetof(struct heap, pvalloc)},
    {"free_sized", offsetof(struct heap, free_sized)},
    {"free_aligned_sized", offsetof(struct heap, free_aligned_sized)},
    {"malloc_usable_size", offsetof(struct heap, usable_size)},
};

bool heap_ready(void)
{
    int state = atomic_load_explicit(&lookup_state, memory_order_acquire);
    if (state == 2)
        return true;
    if (state == 1 || !atomic_compare_exchange_strong_explicit(
                          &lookup_state, &state, 1, memory_order_acquire, memory_order_relaxed))
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = real_symbol(functions[i].name);
        if (found)
            *(void **)((char *)&heap + functions[i].at) = found;
    }
    *(void **)&heap.chosen = dlsym(RTLD_DEFAULT, "malloc");
    atomic_store_explicit(&lookup_state, 2, memory_order_release);
    return true;
}

/* A program that brings its own malloc never calls ours; who maps memory for it must be known all
 * the same. */
__attribute__((constructor)) static void look_up_early(void)
{
    heap_ready();
}

/* ---- malloc and its kin ---- */

static COLD void *malloc_slow(size_t n)
{
    void *block = heap.malloc(n);
    blocks_new(MEMORY_NATIVE, block, n, 0);
    return block;
}

AGENT_EXPORT void *malloc(size_t n)
{
    return countdown_takes(MEMORY_NATIVE, n) ? malloc_slow(n) : heap.malloc(n);
}

static COLD void *calloc_slow(size_t n, size_t size)
{
    void *block = heap.calloc(n, size);
    blocks_new(MEMORY_NATIVE, block, n * size, 0);
    return block;
}

AGENT_EXPORT void *calloc(size_t n, size_t size)
{
    return countdown_takes(MEMORY_NATIVE, n * size) ? calloc_slow(n, size) : heap.calloc(n, size);
}

static COLD void free_slow(void *block)
{
    if (is_of_pool(block))
        return;
    blocks_gone(block);
    heap.free(block);
}

AGENT_EXPORT void free(void *block)
{
    if (objects_may_have(block))
        free_slow(block);
    else
        heap.free(block);
}

static void *realloc_of_pool(void *block, size_t n)
{
    size_t there = (size_t)(pool + POOL_BYTES - (unsigned char *)block);
    void *new_block = heap.malloc(n);
    if (new_block)
        memcpy(new_block, block, n < there ? n : there);
    return new_block;
}

/* A realloc is a free and a new allocation of the whole; what it grew from is known here only. */
static COLD void *realloc_slow(void *block, size_t n, bool is_over)
{
    if (is_of_pool(block)) {
        if (is_over)
            countdown_undo(MEMORY_NATIVE, n);
        return realloc_of_pool(block, n);
    }
    size_t old_size = block && heap.usable_size ? heap.usable_size(block) : 0;
    if (countdown_thread.wants_old_size)
        countdown_thread.old_size = old_size;
    bool was_sampled = objects_may_have(block) && blocks_gone(block);
    void *new_block = heap.realloc(block, n);
    if (!new_block && n && was_sampled)
        blocks_back(block);
    if (is_over)
        blocks_new(MEMORY_NATIVE, new_block, n, old_size);
    return new_block;
}

AGENT_EXPORT void *realloc(void *block, size_t n)
{
    bool is_over = countdown_takes(MEMORY_NATIVE, n);
    if (is_over || objects_may_have(block) || countdown_thread.wants_old_size)
        return realloc_slow(block, n, is_over);
    return heap.realloc(block, n);
}

/* The libc's would do, for it calls our realloc; that of another allocator does not. */
AGENT_EXPORT void *reallocarray(void *block, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

/* ---- blocks whose size is told when they are freed: new in C23, so that the libc may lack them
 * where another allocator has them ---- */

AGENT_EXPORT void free_sized(void *block, size_t n);
AGENT_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t n);

AGENT_EXPORT void free_sized(void *block, size_t n)
{
    if (objects_may_have(block) || !heap.free_sized)
        free(block);
    else
        heap.free_sized(block, n);
}

AGENT_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t n)
{
    if (objects_may_have(block) || !heap.free_aligned_sized)
        free(block);
    else
        heap.free_aligned_sized(block, alignment, n);
}

/* ---- aligned blocks: rare, so that the plainest code will do ---- */

static void *count(void *block, size_t n)
{
    if (block && countdown_takes(MEMORY_NATIVE, n))
        blocks_new(MEMORY_NATIVE, block, n, 0);
    return block;
}

AGENT_EXPORT int posix_memalign(void **out, size_t alignment, size_t n)
{
    int rc = heap_ready() ? heap.posix_memalign(out, alignment, n) : ENOMEM;
    if (rc == 0)
        count(*out, n);
    return rc;
}

AGENT_EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
    return heap_ready() ? count(heap.aligned_alloc(alignment, n), n) : NULL;
}

AGENT_EXPORT void *memalign(size_t alignment, size_t n)
{
    return heap_ready() ? count(heap.memalign(alignment, n), n) : NULL;
}

AGENT_EXPORT void *valloc(size_t n)
{
    return heap_ready() ? count(heap.valloc(n), n) : NULL;
}

AGENT_EXPORT void *pvalloc(size_t n)
{
    return heap_ready() ? count(heap.pvalloc(n), n) : NULL;
}
