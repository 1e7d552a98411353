/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy and its kin: count the bytes, let the libc's fastest version do the work. It is called
 * before anything can be looked up; until then a plain loop does. */
#include "agent/agent.h"
#include "agent/blocks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Forward, or backward where the end of the source would be overwritten too early. */
static void *move_plainly(void *to, const void *from, size_t n)
{
    void *start = to;
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
    } else {
        volatile unsigned char *t = to;
        const unsigned char *f = from;
        while (n--)
            t[n] = f[n];
    }
    return start;
}

/* memmove serves memcpy, too: old programs overlap their copies. */
static void *(*move)(void *, const void *, size_t) = move_plainly;

__attribute__((constructor)) static void find_move(void)
{
    void *found = dlsym(RTLD_NEXT, "memmove");
    if (found)
        *(void **)&move = found;
}

static inline void count(size_t n)
{
    if (countdown_takes(MEMORY_COPIED, n))
        blocks_copied(n);
}

AGENT_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    count(n);
    return move(to, from, n);
}

AGENT_EXPORT void *memmove(void *to, const void *from, size_t n)
{
    count(n);
    return move(to, from, n);
}

AGENT_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
    count(n);
    return (char *)move(to, from, n) + n;
}

/* The checked versions that compilers call where they know how much room there is. */
extern void __chk_fail(void) __attribute__((noreturn));
AGENT_EXPORT void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n,
                                size_t room);
AGENT_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room);

AGENT_EXPORT void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room)
{
    if (n > room)
        __chk_fail();
    return memcpy(to, from, n);
}

AGENT_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    if (n > room)
        __chk_fail();
    return memmove(to, from, n);
}
