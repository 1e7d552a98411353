/* SPDX-License-Identifier: Apache-2.0 */
/* Other allocators (jemalloc, tcmalloc, mimalloc) bring operators new and delete that never call
 * malloc. Ours stand in front of them, written into the tables of every module (got.c): to export
 * them would put us in front of the ordinary ones, too, which call malloc, and of those that a
 * library has for itself, which may not be found from here.
 *
 * An operator that throws does so through a function of ours: that needs nothing but its entry in
 * .eh_frame. */
#include "agent/new.h"

#include "agent/blocks.h"

#include <assert.h>

#include "agent/safe.h"

/* How far the count is: every function of ours that is called moves it, or takes a sample. */
static uint64_t position(void)
{
    return countdown_thread.domains[MEMORY_NATIVE].left ^ countdown_thread.sampled_ns;
}

/* Unless the operator came to one of our functions after all, as jemalloc's for aligned blocks. */
static void *count(void *block, size_t n, uint64_t before)
{
    if (block && position() == before && countdown_takes(MEMORY_NATIVE, n))
        blocks_new(MEMORY_NATIVE, block, n, 0);
    return block;
}

#define NEW(name, parameters, arguments)                                                           \
    static void *(*real_##name)parameters;                                                         \
    static void *name parameters                                                                   \
    {                                                                                              \
        uint64_t before = position();                                                              \
        return count(real_##name arguments, n, before);                                            \
    }

#define DELETE(name, parameters, arguments)                                                        \
    static void(*real_##name) parameters;                                                          \
    static void name parameters                                                                    \
    {                                                                                              \
        if (objects_may_have(block))                                                               \
            blocks_gone(block);                                                                    \
        real_##name arguments;                                                                     \
    }

/* By their names of the linker: m a size, St11align_val_t an alignment, RKSt9nothrow_t the promise
 * not to throw, Pv the block; w and l one, a an array. */
#define BOTH(MAKE, one, array, parameters, arguments)                                              \
    MAKE(one, parameters, arguments)                                                               \
    MAKE(array, parameters, arguments)

BOTH(NEW, _Znwm, _Znam, (size_t n), (n))
BOTH(NEW, _ZnwmRKSt9nothrow_t, _ZnamRKSt9nothrow_t, (size_t n, const void *t), (n, t))
BOTH(NEW, _ZnwmSt11align_val_t, _ZnamSt11align_val_t, (size_t n, size_t a), (n, a))
BOTH(NEW, _ZnwmSt11align_val_tRKSt9nothrow_t, _ZnamSt11align_val_tRKSt9nothrow_t,
     (size_t n, size_t a, const void *t), (n, a, t))

BOTH(DELETE, _ZdlPv, _ZdaPv, (void *block), (block))
BOTH(DELETE, _ZdlPvm, _ZdaPvm, (void *block, size_t n), (block, n))
BOTH(DELETE, _ZdlPvRKSt9nothrow_t, _ZdaPvRKSt9nothrow_t, (void *block, const void *t), (block, t))
BOTH(DELETE, _ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t, (void *block, size_t a), (block, a))
BOTH(DELETE, _ZdlPvmSt11align_val_t, _ZdaPvmSt11align_val_t, (void *block, size_t n, size_t a),
     (block, n, a))
BOTH(DELETE, _ZdlPvSt11align_val_tRKSt9nothrow_t, _ZdaPvSt11align_val_tRKSt9nothrow_t,
     (void *block, size_t a, const void *t), (block, a, t))

#define HOOK(name)                                                                                 \
    {                                                                                              \
#name, (void *)name, (void **)&real_##name                                                 \
    }
#define HOOKS(one, array) HOOK(one), HOOK(array)

const struct new_hook new_hooks[] = {
    HOOKS(_Znwm, _Znam),
    HOOKS(_ZnwmRKSt9nothrow_t, _ZnamRKSt9nothrow_t),
    HOOKS(_ZnwmSt11align_val_t, _ZnamSt11align_val_t),
    HOOKS(_ZnwmSt11align_val_tRKSt9nothrow_t, _ZnamSt11align_val_tRKSt9nothrow_t),
    HOOKS(_ZdlPv, _ZdaPv),
    HOOKS(_ZdlPvm, _ZdaPvm),
    HOOKS(_ZdlPvRKSt9nothrow_t, _ZdaPvRKSt9nothrow_t),
    HOOKS(_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t),
    HOOKS(_ZdlPvmSt11align_val_t, _ZdaPvmSt11align_val_t),
    HOOKS(_ZdlPvSt11align_val_tRKSt9nothrow_t, _ZdaPvSt11align_val_tRKSt9nothrow_t),
};
static_assert(sizeof new_hooks / sizeof *new_hooks == NEW_HOOKS_MAX, "as many as there are");
const size_t new_n_hooks = sizeof new_hooks / sizeof *new_hooks;
