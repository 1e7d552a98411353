/* SPDX-License-Identifier: Apache-2.0 */
/* Anonymous memory that is mapped without malloc. What Python maps for its arenas and what the
 * allocator below us maps for itself is not counted: its blocks are. */
/* Both names of mmap are defined here: they must not be made one by the headers. */
#undef _FILE_OFFSET_BITS

#include "agent/agent.h"
#include "agent/blocks.h"
#include "agent/malloc.h"
#include "agent/modules.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

#define COUNTED_MIN 65536u /* smaller mappings are thread stacks' guards and the like */

/* Set once, at the first mapping after boot: where the allocator's own code lies. */
static _Atomic uint64_t heap_low, heap_high;

static bool is_of_heap(uint64_t caller)
{
    struct module module;
    if (!atomic_load_explicit(&heap_high, memory_order_acquire) &&
        modules_find((uint64_t)(uintptr_t)heap.malloc, &module)) {
        atomic_store_explicit(&heap_low, module.low, memory_order_relaxed);
        atomic_store_explicit(&heap_high, module.high, memory_order_release);
    }
    return caller >= atomic_load_explicit(&heap_low, memory_order_relaxed) &&
           caller < atomic_load_explicit(&heap_high, memory_order_relaxed);
}

static void *map(void *address, size_t n, int protection, int flags, int fd, off_t offset,
                 uint64_t caller)
{
    /* A system call returns its error as a number just below zero; syscall() has set errno. */
    void *at = (void *)syscall(SYS_mmap, address, n, protection, flags, fd, offset);
    bool is_counted = at != MAP_FAILED && (flags & MAP_ANONYMOUS) && !(flags & MAP_FIXED) &&
                      protection != PROT_NONE && n >= COUNTED_MIN && countdown_is_on() &&
                      !countdown_thread.is_arena && !countdown_thread.is_busy;
    if (is_counted && !is_of_heap(caller) && countdown_takes(MEMORY_NATIVE, n))
        blocks_new(MEMORY_NATIVE, at, n, 0);
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

AGENT_EXPORT int munmap(void *address, size_t n)
{
    if (objects_may_have(address))
        blocks_gone(address);
    return (int)syscall(SYS_munmap, address, n);
}
