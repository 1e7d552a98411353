/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy and its kin: count the bytes, let the libc's fastest versions do the work. They are called
 * before anything can be looked up; until then plain loops do. */
#include "agent/agent.h"
#include "agent/blocks.h"
#include "agent/real.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

/* ---- before the real functions are known ---- */

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

static char *string_plainly(char *restrict to, const char *restrict from)
{
    volatile char *t = to; /* or the compiler would make this loop the very call it stands for */
    while ((*t = *from++))
        t++;
    return (char *)t;
}

/* ---- the real ones, written by the constructor alone ---- */

/* memmove serves memcpy, too: old programs overlap their copies. */
static void *(*move)(void *, const void *, size_t) = move_plainly;
/* stpcpy serves strcpy, too, for it tells how long the string was. */
static char *(*copy_string)(char *restrict, const char *restrict) = string_plainly;

__attribute__((constructor)) static void find_real(void)
{
    void *found = real_symbol("memmove");
    if (found)
        *(void **)&move = found;
    found = real_symbol("stpcpy");
    if (found)
        *(void **)&copy_string = found;
}

/* ---- bytes ---- */

static __attribute__((noinline, cold)) void *move_slow(void *to, const void *from, size_t n)
{
    blocks_copied(n);
    return move(to, from, n);
}

static inline void *move_counted(void *to, const void *from, size_t n)
{
    return countdown_takes(MEMORY_COPIED, n) ? move_slow(to, from, n) : move(to, from, n);
}

AGENT_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    return move_counted(to, from, n);
}

AGENT_EXPORT void *memmove(void *to, const void *from, size_t n)
{
    return move_counted(to, from, n);
}

AGENT_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
    return (char *)move_counted(to, from, n) + n;
}

AGENT_EXPORT void *__mempcpy(void *restrict to, const void *restrict from, size_t n);
AGENT_EXPORT void *__mempcpy(void *restrict to, const void *restrict from, size_t n)
{
    return (char *)move_counted(to, from, n) + n;
}

AGENT_EXPORT void bcopy(const void *from, void *to, size_t n)
{
    move_counted(to, from, n);
}

AGENT_EXPORT void *memccpy(void *restrict to, const void *restrict from, int stop, size_t n)
{
    const char *end = memchr(from, stop, n);
    size_t length = end ? (size_t)(end - (const char *)from) + 1 : n;
    move_counted(to, from, length);
    return end ? (char *)to + length : NULL;
}

/* ---- strings ---- */

static inline char *string_counted(char *restrict to, const char *restrict from)
{
    char *end = copy_string(to, from);
    if (countdown_takes(MEMORY_COPIED, (size_t)(end - to) + 1))
        blocks_copied((size_t)(end - to) + 1);
    return end;
}

AGENT_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
    string_counted(to, from);
    return to;
}

AGENT_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
    return string_counted(to, from);
}

AGENT_EXPORT char *__stpcpy(char *restrict to, const char *restrict from);
AGENT_EXPORT char *__stpcpy(char *restrict to, const char *restrict from)
{
    return string_counted(to, from);
}

AGENT_EXPORT char *strcat(char *restrict to, const char *restrict from)
{
    string_counted(to + strlen(to), from);
    return to;
}

AGENT_EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t n)
{
    size_t length = strnlen(from, n);
    move_counted(to, from, length);
    memset(to + length, 0, n - length);
    return to + length;
}

AGENT_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
    stpncpy(to, from, n);
    return to;
}

AGENT_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t n)
{
    char *end = to + strlen(to);
    size_t length = strnlen(from, n);
    move_counted(end, from, length);
    end[length] = 0;
    return to;
}

/* ---- wide characters ---- */

AGENT_EXPORT wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    return move_counted(to, from, n * sizeof *to);
}

AGENT_EXPORT wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
    return move_counted(to, from, n * sizeof *to);
}

AGENT_EXPORT wchar_t *wmempcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    return (wchar_t *)move_counted(to, from, n * sizeof *to) + n;
}

AGENT_EXPORT wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    return move_counted(to, from, (wcslen(from) + 1) * sizeof *to);
}

AGENT_EXPORT wchar_t *wcpcpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    size_t length = wcslen(from);
    move_counted(to, from, (length + 1) * sizeof *to);
    return to + length;
}

AGENT_EXPORT wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from)
{
    wcscpy(to + wcslen(to), from);
    return to;
}
