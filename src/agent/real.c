/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the libc's own functions behind the ones we interpose. */
#include "agent/real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct real real;
static _Atomic bool is_filled;

static const struct {
    const char *name;
    size_t at; /* offset of its pointer in struct real */
} functions[] = {
    {"sigaction", offsetof(struct real, sigaction)},
    {"signal", offsetof(struct real, signal)},
    {"sysv_signal", offsetof(struct real, sysv_signal)},
    {"pthread_sigmask", offsetof(struct real, pthread_sigmask)},
    {"sigprocmask", offsetof(struct real, sigprocmask)},
    {"sigwait", offsetof(struct real, sigwait)},
    {"sigwaitinfo", offsetof(struct real, sigwaitinfo)},
    {"sigtimedwait", offsetof(struct real, sigtimedwait)},
    {"signalfd", offsetof(struct real, signalfd)},
    {"pthread_create", offsetof(struct real, pthread_create)},
    {"pthread_setname_np", offsetof(struct real, pthread_setname_np)},
    {"dlclose", offsetof(struct real, dlclose)},
    {"_exit", offsetof(struct real, exit_now)},
};

/* Preloaded, we stand before the libc in the order of loading, though perhaps behind a sanitizer;
 * loaded late, behind it. */
static bool is_preloaded(void)
{
    Dl_info unused;
    struct link_map *us = NULL, *libc = NULL;
    void *next = dlsym(RTLD_NEXT, "sigaction");
    if (!next || !dladdr1(&real, &unused, (void **)&us, RTLD_DL_LINKMAP) ||
        !dladdr1(next, &unused, (void **)&libc, RTLD_DL_LINKMAP))
        return true;
    while (us && us != libc)
        us = us->l_next;
    return us != NULL;
}

void *real_symbol(const char *name)
{
    static _Atomic int scope; /* 0: not known yet */
    int known = atomic_load_explicit(&scope, memory_order_relaxed);
    if (!known) {
        known = is_preloaded() ? 1 : 2;
        atomic_store_explicit(&scope, known, memory_order_relaxed);
    }
    return dlsym(known == 1 ? RTLD_NEXT : RTLD_DEFAULT, name);
}

const struct real *real_ready(void)
{
    /* Threads that come here together store the same pointers. */
    if (!atomic_load_explicit(&is_filled, memory_order_acquire)) {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            *(void **)((char *)&real + functions[i].at) = real_symbol(functions[i].name);
        atomic_store_explicit(&is_filled, true, memory_order_release);
    }
    return &real;
}
