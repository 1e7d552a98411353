/* SPDX-License-Identifier: Apache-2.0 */
/* The libc's calls that block: the real one is called, and where waits are told from inside the
 * time is taken before and after. Nothing else is changed: what a call returns, errno, and whether
 * a signal interrupts it or a cancellation ends it are the real one's affair.
 *
 * Not here: pthread_mutex_lock, which is too frequent for a test and which Python waits in for
 * moments only; waits inside the libc itself (system()); direct system calls. */
#include "agent/agent.h"
#include "agent/waits.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/safe.h"

/* A hook for NAME, in three steps: the real function, found once; a test; the real function with
 * the time around it. BEFORE is a call that begins a wait, AFTER one that ends it. */
#define HOOK(type, name, before, after, parameters, arguments)                                     \
    static type(*real_##name) parameters;                                                          \
    AGENT_EXPORT type name parameters;                                                             \
    AGENT_EXPORT type name parameters                                                              \
    {                                                                                              \
        if (!real_##name)                                                                          \
            find((void **)&real_##name, #name);                                                    \
        if (!waits_are_told())                                                                     \
            return real_##name arguments;                                                          \
        struct waits_call call = before;                                                           \
        type result = real_##name arguments;                                                       \
        after;                                                                                     \
        return result;                                                                             \
    }
#define WAIT(type, name, kind, parameters, arguments)                                              \
    HOOK(type, name, waits_begin(kind), waits_end(&call), parameters, arguments)
#define WAIT_ON(name, parameters, arguments)                                                       \
    HOOK(int, name, waits_begin_condition(condition),                                              \
         waits_end_condition(&call, result == ETIMEDOUT), parameters, arguments)

/* A function the libc does not have is not called by anybody either: programs that look for it find
 * ours and are told so. */
static long not_there(void)
{
    errno = ENOSYS;
    return -1;
}

/* The conditions of today carry the second version of their names; the first is of an age when they
 * were laid out otherwise. */
static void find(void **function, const char *name)
{
    void *found = name[0] == 'p' ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    if (!found)
        found = dlsym(RTLD_NEXT, name);
    *function = found ? found : (void *)(uintptr_t)not_there;
}

/* Waiting for no file at all is sleeping. */
static enum wait_kind of_files(unsigned long n)
{
    return n ? WAIT_POLL : WAIT_SLEEP;
}

typedef const struct timespec *time_in;
typedef const sigset_t *set_in;
typedef struct sockaddr *restrict sockaddr_out;
typedef const struct iovec *vector;

/* ---- sleeping ---- */

WAIT(int, nanosleep, WAIT_SLEEP, (time_in length, struct timespec *left), (length, left))
WAIT(int, clock_nanosleep, WAIT_SLEEP,
     (clockid_t clock, int flags, time_in length, struct timespec *left),
     (clock, flags, length, left))
WAIT(int, usleep, WAIT_SLEEP, (useconds_t us), (us))
WAIT(unsigned, sleep, WAIT_SLEEP, (unsigned seconds), (seconds))
WAIT(int, pause, WAIT_SLEEP, (void), ())

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

/* ---- files and sockets ---- */

WAIT(ssize_t, read, WAIT_IO, (int fd, void *to, size_t n), (fd, to, n))
WAIT(ssize_t, __read_chk, WAIT_IO, (int fd, void *to, size_t n, size_t room), (fd, to, n, room))
WAIT(ssize_t, readv, WAIT_IO, (int fd, vector to, int n), (fd, to, n))
WAIT(ssize_t, pread64, WAIT_IO, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
WAIT(ssize_t, write, WAIT_IO, (int fd, const void *from, size_t n), (fd, from, n))
WAIT(ssize_t, writev, WAIT_IO, (int fd, vector from, int n), (fd, from, n))
WAIT(ssize_t, pwrite64, WAIT_IO, (int fd, const void *from, size_t n, off64_t at),
     (fd, from, n, at))
WAIT(ssize_t, recv, WAIT_IO, (int fd, void *to, size_t n, int flags), (fd, to, n, flags))
WAIT(ssize_t, __recv_chk, WAIT_IO, (int fd, void *to, size_t n, size_t room, int flags),
     (fd, to, n, room, flags))
WAIT(ssize_t, recvfrom, WAIT_IO,
     (int fd, void *restrict to, size_t n, int flags, sockaddr_out from,
      socklen_t *restrict n_from),
     (fd, to, n, flags, from, n_from))
WAIT(ssize_t, __recvfrom_chk, WAIT_IO,
     (int fd, void *restrict to, size_t n, size_t room, int flags, sockaddr_out from,
      socklen_t *restrict n_from),
     (fd, to, n, room, flags, from, n_from))
WAIT(ssize_t, recvmsg, WAIT_IO, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WAIT(ssize_t, send, WAIT_IO, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags))
WAIT(ssize_t, sendto, WAIT_IO,
     (int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t n_to),
     (fd, from, n, flags, to, n_to))
WAIT(ssize_t, sendmsg, WAIT_IO, (int fd, const struct msghdr *message, int flags),
     (fd, message, flags))
WAIT(int, accept, WAIT_IO, (int fd, sockaddr_out from, socklen_t *restrict n_from),
     (fd, from, n_from))
WAIT(int, accept4, WAIT_IO, (int fd, sockaddr_out from, socklen_t *restrict n_from, int flags),
     (fd, from, n_from, flags))
WAIT(int, connect, WAIT_IO, (int fd, const struct sockaddr *to, socklen_t n_to), (fd, to, n_to))
WAIT(int, flock, WAIT_IO, (int fd, int operation), (fd, operation))
WAIT(int, lockf64, WAIT_IO, (int fd, int operation, off64_t n), (fd, operation, n))
WAIT(int, fsync, WAIT_IO, (int fd), (fd))
WAIT(int, fdatasync, WAIT_IO, (int fd), (fd))

/* Offsets have 64 bits under either name. */
__asm__(".globl pread, pwrite, lockf\n"
        ".set pread, pread64\n"
        ".set pwrite, pwrite64\n"
        ".set lockf, lockf64\n");

/* ---- other processes ---- */

WAIT(pid_t, wait, WAIT_CHILD, (int *status), (status))
WAIT(pid_t, waitpid, WAIT_CHILD, (pid_t pid, int *status, int options), (pid, status, options))
WAIT(pid_t, wait3, WAIT_CHILD, (int *status, int options, struct rusage *usage),
     (status, options, usage))
WAIT(pid_t, wait4, WAIT_CHILD, (pid_t pid, int *status, int options, struct rusage *usage),
     (pid, status, options, usage))
WAIT(int, waitid, WAIT_CHILD, (idtype_t type, id_t id, siginfo_t *info, int options),
     (type, id, info, options))

/* ---- other threads ---- */

WAIT(int, sem_wait, WAIT_LOCK, (sem_t * semaphore), (semaphore))
WAIT(int, sem_timedwait, WAIT_LOCK,
     (sem_t *restrict semaphore, const struct timespec *restrict end), (semaphore, end))
WAIT(int, sem_clockwait, WAIT_LOCK,
     (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict end),
     (semaphore, clock, end))
WAIT(int, pthread_join, WAIT_LOCK, (pthread_t thread, void **result_of), (thread, result_of))
WAIT_ON(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex),
        (condition, mutex))
WAIT_ON(pthread_cond_timedwait,
        (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
         const struct timespec *restrict end),
        (condition, mutex, end))
WAIT_ON(pthread_cond_clockwait,
        (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
         const struct timespec *restrict end),
        (condition, mutex, clock, end))
