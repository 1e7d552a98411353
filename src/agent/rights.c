/* SPDX-License-Identifier: Apache-2.0 */
/* The calls by which a process changes who it is, what it may do or who may look into it: before it
 * becomes another user, that one gets a place for the rings of its children; after each of them it
 * is found out whether the collector still can look. */
#include "agent/agent.h"
#include "agent/boot.h"
#include "agent/countdown.h"
#include "agent/process.h"
#include "agent/threads.h"
#include "agent/waits.h"

#include <dlfcn.h>
#include <errno.h>
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

/* From now on the process may read, write and end, and dies of every other call; or a filter of its
 * own decides, and nobody can tell how: a tick might be its death. */
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
    /* A filter that is none is how programs ask whether there could be one. */
    bool is_question = words[0] == SECCOMP_MODE_FILTER && !words[1];
    if (option == PR_SET_SECCOMP && !is_question && agent.control)
        renounce_calls();
    int result = real_prctl(option, words[0], words[1], words[2], words[3]);
    if (option == PR_SET_DUMPABLE)
        waits_check_access();
    return result;
}
