/* SPDX-License-Identifier: Apache-2.0 */
/* The calls by which a process changes who it is or who may look into it: after each of them it is
 * found out whether the collector still can. */
#include "agent/agent.h"
#include "agent/waits.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/safe.h"

#define RIGHTS(name, parameters, arguments)                                                        \
    static int(*real_##name) parameters;                                                           \
    AGENT_EXPORT int name parameters;                                                              \
    AGENT_EXPORT int name parameters                                                               \
    {                                                                                              \
        if (!real_##name)                                                                          \
            *(void **)&real_##name = dlsym(RTLD_NEXT, #name);                                      \
        int result = real_##name arguments;                                                        \
        waits_check_access();                                                                      \
        return result;                                                                             \
    }

RIGHTS(setuid, (uid_t user), (user))
RIGHTS(seteuid, (uid_t user), (user))
RIGHTS(setreuid, (uid_t real_user, uid_t user), (real_user, user))
RIGHTS(setresuid, (uid_t real_user, uid_t user, uid_t saved), (real_user, user, saved))
RIGHTS(setgid, (gid_t group), (group))
RIGHTS(setegid, (gid_t group), (group))
RIGHTS(setregid, (gid_t real_group, gid_t group), (real_group, group))
RIGHTS(setresgid, (gid_t real_group, gid_t group, gid_t saved), (real_group, group, saved))

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
    int result = real_prctl(option, words[0], words[1], words[2], words[3]);
    if (option == PR_SET_DUMPABLE)
        waits_check_access();
    return result;
}
