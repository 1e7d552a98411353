/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a moment, for one of several files, for a signal or for another process.
 *
 * Not here and in the other two files: waits inside the libc itself, but for those that are known
 * to be long (names of hosts, system()); ioctl, close; direct system calls, futexes among them. */
#include "agent/blocking.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/safe.h"

/* A function the libc does not have is not called by anybody either: programs that look for it find
 * ours and are told so. */
static long not_there(void)
{
    errno = ENOSYS;
    return -1;
}

/* The conditions of today carry the second version of their names; the first is of an age when they
 * were laid out otherwise. */
void blocking_find(void **function, const char *name)
{
    void *found =
        strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    if (!found)
        found = dlsym(RTLD_NEXT, name);
    *function = found ? found : (void *)(uintptr_t)not_there;
}

/* Waiting for no file at all is sleeping. */
static enum wait_kind of_files(unsigned long n)
{
    return n ? WAIT_POLL : WAIT_SLEEP;
}

typedef const sigset_t *set_in;

/* ---- sleeping ---- */

WAIT(int, nanosleep, WAIT_SLEEP, (time_in length, struct timespec *left), (length, left))
WAIT(int, clock_nanosleep, WAIT_SLEEP,
     (clockid_t clock, int flags, time_in length, struct timespec *left),
     (clock, flags, length, left))
WAIT(int, usleep, WAIT_SLEEP, (useconds_t us), (us))
WAIT(unsigned, sleep, WAIT_SLEEP, (unsigned seconds), (seconds))
WAIT(int, thrd_sleep, WAIT_SLEEP, (time_in length, struct timespec *left), (length, left))
WAIT(int, pause, WAIT_SLEEP, (void), ())
WAIT(int, sigsuspend, WAIT_SLEEP, (set_in mask), (mask))

/* ---- one of several files ---- */

WAIT(int, select, of_files((unsigned)n),
     (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
      struct timeval *restrict timeout),
     (n, in, out, other, timeout))
WAIT(int, pselect, of_files((unsigned)n),
     (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
      const struct timespec *restrict timeout, const sigset_t *restrict mask),
     (n, in, out, other, timeout, mask))
WAIT(int, poll, of_files(n), (struct pollfd * files, nfds_t n, int timeout), (files, n, timeout))
WAIT(int, ppoll, of_files(n), (struct pollfd * files, nfds_t n, time_in timeout, set_in mask),
     (files, n, timeout, mask))
WAIT(int, __poll_chk, of_files(n), (struct pollfd * files, nfds_t n, int timeout, size_t room),
     (files, n, timeout, room))
WAIT(int, __ppoll_chk, of_files(n),
     (struct pollfd * files, nfds_t n, time_in timeout, set_in mask, size_t room),
     (files, n, timeout, mask, room))
WAIT(int, epoll_wait, WAIT_POLL, (int fd, struct epoll_event *events, int n, int timeout),
     (fd, events, n, timeout))
WAIT(int, epoll_pwait, WAIT_POLL,
     (int fd, struct epoll_event *events, int n, int timeout, set_in mask),
     (fd, events, n, timeout, mask))
WAIT(int, epoll_pwait2, WAIT_POLL,
     (int fd, struct epoll_event *events, int n, time_in timeout, set_in mask),
     (fd, events, n, timeout, mask))

/* ---- other processes ---- */

WAIT(pid_t, wait, WAIT_CHILD, (int *status), (status))
WAIT(pid_t, waitpid, WAIT_CHILD, (pid_t pid, int *status, int options), (pid, status, options))
WAIT(pid_t, wait3, WAIT_CHILD, (int *status, int options, struct rusage *usage),
     (status, options, usage))
WAIT(pid_t, wait4, WAIT_CHILD, (pid_t pid, int *status, int options, struct rusage *usage),
     (pid, status, options, usage))
WAIT(int, waitid, WAIT_CHILD, (idtype_t type, id_t id, siginfo_t *info, int options),
     (type, id, info, options))
WAIT(int, pclose, WAIT_CHILD, (FILE * stream), (stream))
