/* SPDX-License-Identifier: Apache-2.0 */
/* The calls by which a process changes who it is, what it may do or who may look into it: before it
 * becomes another user, that one gets a place for the rings of its children; after each of them it
 * is found out whether the collector still can look. */
#include "agent/agent.h"
#include "agent/boot.h"
#include "agent/countdown.h"
#include "agent/peek.h"
#include "agent/process.h"
#include "agent/threads.h"
#include "agent/waits.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/safe.h"

#define NOBODY_ELSE ((uid_t)-1)
#define RIGHTS(name, parameters, arguments, user_to_be)                                            \
    static int(*real_##name) parameters;                                                           \
    AGENT_EXPORT int name parameters;                                                              \
    AGENT_EXPORT int name parameters                                                               \
    {                                                                                              \
        if (!real_##name)                                                                          \
            *(void **)&real_##name = dlsym(RTLD_NEXT, #name);                                      \
        process_admit_user(user_to_be);                                                            \
        int result = real_##name arguments;                                                        \
        waits_check_access();                                                                      \
        return result;                                                                             \
    }

RIGHTS(setuid, (uid_t user), (user), user)
RIGHTS(seteuid, (uid_t user), (user), user)
RIGHTS(setreuid, (uid_t real_user, uid_t user), (real_user, user), user)
RIGHTS(setresuid, (uid_t real_user, uid_t user, uid_t saved), (real_user, user, saved), user)
RIGHTS(setgid, (gid_t group), (group), NOBODY_ELSE)
RIGHTS(setegid, (gid_t group), (group), NOBODY_ELSE)
RIGHTS(setregid, (gid_t real_group, gid_t group), (real_group, group), NOBODY_ELSE)
RIGHTS(setresgid, (gid_t real_group, gid_t group, gid_t saved), (real_group, group, saved),
       NOBODY_ELSE)

/* Whether a filter of system calls does worse than refuse one: ends the process, sends it a signal,
 * or leaves it to another. One that cannot be read is none. */
static bool may_kill(uint64_t program)
{
    struct sock_fprog filter;
    if (!peek_bytes(program, &filter, sizeof filter))
        return false;
    for (unsigned i = 0; i < filter.len; i++) {
        struct sock_filter step;
        if (!peek_bytes((uint64_t)(uintptr_t)&filter.filter[i], &step, sizeof step))
            return false;
        uint32_t action = step.k & SECCOMP_RET_ACTION_FULL;
        bool is_harmless =
            action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG || action == SECCOMP_RET_ERRNO;
        if (BPF_CLASS(step.code) == BPF_RET && !(BPF_RVAL(step.code) == BPF_K && is_harmless))
            return true;
    }
    return false;
}

/* From now on the process may read, write and end, and dies of every other call, or of those that
 * its filter has something against: a tick might be its death. */
static void renounce_calls(void)
{
    int saved = errno;
    boot_finish();
    threads_stop();
    countdown_stop();
    errno = saved;
}

/* Takes as many arguments as the option has; the others, whatever they are, are passed on and not
 * looked at by anybody. */
AGENT_EXPORT int prctl(int option, ...)
{
    static int (*real_prctl)(int, ...);
    unsigned long words[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(list, unsigned long);
    va_end(list);
    if (!real_prctl)
        *(void **)&real_prctl = dlsym(RTLD_NEXT, "prctl");
    if (option == PR_SET_SECCOMP && agent.control &&
        (words[0] == SECCOMP_MODE_STRICT || may_kill(words[1])))
        renounce_calls();
    int result = real_prctl(option, words[0], words[1], words[2], words[3]);
    if (option == PR_SET_DUMPABLE)
        waits_check_access();
    return result;
}
