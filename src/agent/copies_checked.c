/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of memcpy and its kin that compilers call where they know how much room there is:
 * they end the program as the libc's do when it is not enough, and copy by the counted ones. */
#include "agent/agent.h"

#include <string.h>

#include "agent/safe.h"

extern void __chk_fail(void) __attribute__((noreturn));

static inline void must_fit(size_t n, size_t room)
{
    if (__builtin_expect(n > room, 0))
        __chk_fail();
}

AGENT_EXPORT void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n,
                                size_t room);
AGENT_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
AGENT_EXPORT void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t n,
                                 size_t room);
AGENT_EXPORT char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room);
AGENT_EXPORT char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room);
AGENT_EXPORT char *__strcat_chk(char *restrict to, const char *restrict from, size_t room);
AGENT_EXPORT char *__strncpy_chk(char *restrict to, const char *restrict from, size_t n,
                                 size_t room);
AGENT_EXPORT char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t n,
                                 size_t room);
AGENT_EXPORT char *__strncat_chk(char *restrict to, const char *restrict from, size_t n,
                                 size_t room);

AGENT_EXPORT void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room)
{
    must_fit(n, room);
    return memcpy(to, from, n);
}

AGENT_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    must_fit(n, room);
    return memmove(to, from, n);
}

AGENT_EXPORT void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t n,
                                 size_t room)
{
    must_fit(n, room);
    return mempcpy(to, from, n);
}

AGENT_EXPORT char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
    size_t n = strlen(from) + 1;
    must_fit(n, room);
    return memcpy(to, from, n);
}

AGENT_EXPORT char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
    size_t n = strlen(from) + 1;
    must_fit(n, room);
    return (char *)memcpy(to, from, n) + n - 1;
}

AGENT_EXPORT char *__strcat_chk(char *restrict to, const char *restrict from, size_t room)
{
    size_t there = strlen(to), n = strlen(from) + 1;
    must_fit(there + n, room);
    memcpy(to + there, from, n);
    return to;
}

AGENT_EXPORT char *__strncpy_chk(char *restrict to, const char *restrict from, size_t n,
                                 size_t room)
{
    must_fit(n, room);
    return strncpy(to, from, n);
}

AGENT_EXPORT char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t n,
                                 size_t room)
{
    must_fit(n, room);
    return stpncpy(to, from, n);
}

AGENT_EXPORT char *__strncat_chk(char *restrict to, const char *restrict from, size_t n,
                                 size_t room)
{
    size_t there = strlen(to), length = strnlen(from, n);
    must_fit(there + length + 1, room);
    memcpy(to + there, from, length);
    to[there + length] = 0;
    return to;
}
