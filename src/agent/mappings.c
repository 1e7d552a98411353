/* SPDX-License-Identifier: Apache-2.0 */
/* Anonymous memory that is mapped without malloc. What Python maps for its arenas and what the
 * allocator below us maps for itself is not counted: its blocks are. */
/* Both names of mmap are defined here: they must not be made one by the headers. */
#undef _FILE_OFFSET_BITS

#include "agent/agent.h"
#include "agent/blocks.h"
#include "agent/malloc.h"
#include "agent/modules.h"
#include "agent/real.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

/* ---- the real ones: those of the next library that has them, for others count mappings, too ----
 */

static void *system_mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
    /* A system call returns its error as a number just below zero; syscall() has set errno. */
    return (void *)syscall(SYS_mmap, address, n, protection, flags, fd, offset);
}

static void *system_mremap(void *old, size_t n, size_t new_n, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    void *wanted = va_arg(more, void *);
    va_end(more);
    return (void *)syscall(SYS_mremap, old, n, new_n, flags, wanted);
}

static int system_munmap(void *address, size_t n)
{
    return (int)syscall(SYS_munmap, address, n);
}

/* Written by the constructor alone. */
static void *(*real_mmap)(void *, size_t, int, int, int, off_t) = system_mmap;
static void *(*real_mremap)(void *, size_t, size_t, int, ...) = system_mremap;
static int (*real_munmap)(void *, size_t) = system_munmap;

__attribute__((constructor)) static void find_real(void)
{
    void *map = real_symbol("mmap"), *remap = real_symbol("mremap"), *unmap = real_symbol("munmap");
    if (!map || !remap || !unmap)
        return;
    *(void **)&real_mmap = map;
    *(void **)&real_mremap = remap;
    *(void **)&real_munmap = unmap;
}

/* ---- who maps ---- */

/* Where code of an allocator lies: of the one below us, and of the one the program calls. Each is
 * set once, at the first mapping after boot. */
static struct code {
    _Atomic uint64_t low, high;
} heap_code[2];

static bool is_in_code_of(struct code *code, uint64_t function, uint64_t caller)
{
    struct module module;
    if (!atomic_load_explicit(&code->high, memory_order_acquire) &&
        modules_find(function, &module)) {
        atomic_store_explicit(&code->low, module.low, memory_order_relaxed);
        atomic_store_explicit(&code->high, module.high, memory_order_release);
    }
    return caller >= atomic_load_explicit(&code->low, memory_order_relaxed) &&
           caller < atomic_load_explicit(&code->high, memory_order_acquire);
}

static bool is_of_heap(uint64_t caller)
{
    return is_in_code_of(&heap_code[0], (uint64_t)(uintptr_t)heap.malloc, caller) ||
           is_in_code_of(&heap_code[1], (uint64_t)(uintptr_t)heap.chosen, caller);
}

static bool may_count(void)
{
    return countdown_is_on() && !countdown_thread.is_arena && !countdown_thread.is_busy;
}

/* ---- the hooks ---- */

static void *map(void *address, size_t n, int protection, int flags, int fd, off_t offset,
                 uint64_t caller)
{
    bool is_memory = (flags & MAP_ANONYMOUS) && protection != PROT_NONE;
    /* What is put in place of memory takes it away; memory in place of memory changes nothing. */
    if ((flags & MAP_FIXED) && !is_memory)
        blocks_unmapped(address, n);
    void *at = real_mmap(address, n, protection, flags, fd, offset);
    if (at != MAP_FAILED && is_memory && !(flags & MAP_FIXED) && may_count() && !is_of_heap(caller))
        blocks_mapped(at, n, 0);
    return at;
}

AGENT_EXPORT void *mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
    return map(address, n, protection, flags, fd, offset,
               (uint64_t)(uintptr_t)__builtin_return_address(0));
}

AGENT_EXPORT void *mmap64(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
    return map(address, n, protection, flags, fd, offset,
               (uint64_t)(uintptr_t)__builtin_return_address(0));
}

/* Counts as realloc does, if what is moved or resized was counted; a mapping of a file was not. */
AGENT_EXPORT void *mremap(void *old, size_t n, size_t new_n, int flags, ...)
{
    va_list more;
    struct range was;
    va_start(more, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    if (flags & MREMAP_FIXED)
        blocks_unmapped(wanted, new_n);
    bool is_counted = n && blocks_moved(old, n, &was);
    void *at = real_mremap(old, n, new_n, flags, wanted);
    if (is_counted && at == MAP_FAILED)
        blocks_stayed(&was);
    else if (is_counted)
        blocks_mapped(at, new_n, n);
    return at;
}

AGENT_EXPORT int munmap(void *address, size_t n)
{
    blocks_unmapped(address, n);
    return real_munmap(address, n);
}
