/* SPDX-License-Identifier: Apache-2.0 */
/* The functions the agent interposes, as the libc has them. */
#ifndef SCALENE_AGENT_REAL_H
#define SCALENE_AGENT_REAL_H

#include <pthread.h>
#include <signal.h>

struct real {
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    void (*(*signal)(int, void (*)(int)))(int);
    void (*(*sysv_signal)(int, void (*)(int)))(int);
    int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
    int (*sigprocmask)(int, const sigset_t *, sigset_t *);
    int (*sigwait)(const sigset_t *, int *);
    int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
    int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
    int (*signalfd)(int, const sigset_t *, int);
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*pthread_setname_np)(pthread_t, const char *);
    int (*dlclose)(void *);
    void (*exit_now)(int) __attribute__((noreturn)); /* _exit */
};
extern struct real real;

/* A function behind ours: the next one after a preloaded library; the one that everybody uses, if
 * the library was loaded late. */
void *real_symbol(const char *name);

/* The table, filled if nothing has filled it yet: a constructor of another library may call us
 * before boot. dlsym is the one call here that is not safe in a handler; boot makes sure it
 * happens before any handler can run. */
const struct real *real_ready(void);

#endif
