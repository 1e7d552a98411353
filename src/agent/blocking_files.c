/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a file, a socket, a stream, or a queue of the kernel's. */
#include "agent/blocking.h"

#include <fcntl.h>
#include <netdb.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "agent/safe.h"

typedef struct sockaddr *restrict sockaddr_out;
typedef const struct iovec *vector;

/* ---- files ---- */

WAIT(ssize_t, read, WAIT_IO, (int fd, void *to, size_t n), (fd, to, n))
WAIT(ssize_t, __read_chk, WAIT_IO, (int fd, void *to, size_t n, size_t room), (fd, to, n, room))
WAIT(ssize_t, readv, WAIT_IO, (int fd, vector to, int n), (fd, to, n))
WAIT(ssize_t, pread64, WAIT_IO, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
WAIT(ssize_t, preadv64, WAIT_IO, (int fd, vector to, int n, off64_t at), (fd, to, n, at))
WAIT(ssize_t, preadv64v2, WAIT_IO, (int fd, vector to, int n, off64_t at, int flags),
     (fd, to, n, at, flags))
WAIT(ssize_t, write, WAIT_IO, (int fd, const void *from, size_t n), (fd, from, n))
WAIT(ssize_t, writev, WAIT_IO, (int fd, vector from, int n), (fd, from, n))
WAIT(ssize_t, pwrite64, WAIT_IO, (int fd, const void *from, size_t n, off64_t at),
     (fd, from, n, at))
WAIT(ssize_t, pwritev64, WAIT_IO, (int fd, vector from, int n, off64_t at), (fd, from, n, at))
WAIT(ssize_t, pwritev64v2, WAIT_IO, (int fd, vector from, int n, off64_t at, int flags),
     (fd, from, n, at, flags))
WAIT(ssize_t, sendfile64, WAIT_IO, (int out, int in, off64_t *at, size_t n), (out, in, at, n))
WAIT(ssize_t, splice, WAIT_IO,
     (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
     (in, from, out, to, n, flags))
WAIT(ssize_t, tee, WAIT_IO, (int in, int out, size_t n, unsigned flags), (in, out, n, flags))
WAIT(ssize_t, vmsplice, WAIT_IO, (int fd, vector from, size_t n, unsigned flags),
     (fd, from, n, flags))
WAIT(ssize_t, copy_file_range, WAIT_IO,
     (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
     (in, from, out, to, n, flags))
WAIT(int, fsync, WAIT_IO, (int fd), (fd))
WAIT(int, fdatasync, WAIT_IO, (int fd), (fd))
WAIT(int, syncfs, WAIT_IO, (int fd), (fd))
WAIT(int, msync, WAIT_IO, (void *from, size_t n, int flags), (from, n, flags))
WAIT(int, flock, WAIT_IO, (int fd, int operation), (fd, operation))
WAIT(int, lockf64, WAIT_IO, (int fd, int operation, off64_t n), (fd, operation, n))
WAIT(int, tcdrain, WAIT_IO, (int fd), (fd))

/* ---- sockets ---- */

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
WAIT(int, recvmmsg, WAIT_IO,
     (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout),
     (fd, messages, n, flags, timeout))
WAIT(int, sendmmsg, WAIT_IO, (int fd, struct mmsghdr *messages, unsigned n, int flags),
     (fd, messages, n, flags))

/* ---- streams, as far as they are read and written by the block or line ---- */

WAIT(char *, fgets, WAIT_IO, (char *restrict to, int n, FILE *restrict stream), (to, n, stream))
WAIT(char *, __fgets_chk, WAIT_IO, (char *restrict to, size_t room, int n, FILE *restrict stream),
     (to, room, n, stream))
WAIT(size_t, fread, WAIT_IO, (void *restrict to, size_t size, size_t n, FILE *restrict stream),
     (to, size, n, stream))
WAIT(size_t, __fread_chk, WAIT_IO,
     (void *restrict to, size_t room, size_t size, size_t n, FILE *restrict stream),
     (to, room, size, n, stream))
WAIT(size_t, fwrite, WAIT_IO,
     (const void *restrict from, size_t size, size_t n, FILE *restrict stream),
     (from, size, n, stream))

/* ---- names of hosts: the libc asks servers for them ---- */

WAIT(int, getaddrinfo, WAIT_IO,
     (const char *restrict node, const char *restrict service,
      const struct addrinfo *restrict hints, struct addrinfo **restrict found),
     (node, service, hints, found))
WAIT(int, getnameinfo, WAIT_IO,
     (const struct sockaddr *restrict address, socklen_t n_address, char *restrict host,
      socklen_t n_host, char *restrict service, socklen_t n_service, int flags),
     (address, n_address, host, n_host, service, n_service, flags))
WAIT(int, gethostbyname_r, WAIT_IO,
     (const char *restrict name, struct hostent *restrict result_in, char *restrict room,
      size_t n_room, struct hostent **restrict found, int *restrict error),
     (name, result_in, room, n_room, found, error))
WAIT(int, gethostbyaddr_r, WAIT_IO,
     (const void *restrict address, socklen_t n_address, int type,
      struct hostent *restrict result_in, char *restrict room, size_t n_room,
      struct hostent **restrict found, int *restrict error),
     (address, n_address, type, result_in, room, n_room, found, error))

/* ---- queues and semaphores of the kernel ---- */

WAIT(ssize_t, msgrcv, WAIT_IO, (int queue, void *to, size_t n, long type, int flags),
     (queue, to, n, type, flags))
WAIT(int, msgsnd, WAIT_IO, (int queue, const void *from, size_t n, int flags),
     (queue, from, n, flags))
WAIT(int, semop, WAIT_IO, (int set, struct sembuf *steps, size_t n), (set, steps, n))
WAIT(int, semtimedop, WAIT_IO, (int set, struct sembuf *steps, size_t n, time_in timeout),
     (set, steps, n, timeout))
WAIT(ssize_t, mq_receive, WAIT_IO, (int queue, char *to, size_t n, unsigned *priority),
     (queue, to, n, priority))
WAIT(ssize_t, mq_timedreceive, WAIT_IO,
     (int queue, char *restrict to, size_t n, unsigned *restrict priority, time_in end),
     (queue, to, n, priority, end))
WAIT(int, mq_send, WAIT_IO, (int queue, const char *from, size_t n, unsigned priority),
     (queue, from, n, priority))
WAIT(int, mq_timedsend, WAIT_IO,
     (int queue, const char *from, size_t n, unsigned priority, time_in end),
     (queue, from, n, priority, end))

/* ---- calls of as many arguments as they need ---- */

/* A pipe with a name is opened when there is somebody at its other end. */
static mode_t mode_of(int flags, va_list list)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

static int (*real_open64)(const char *, int, ...), (*real_openat64)(int, const char *, int, ...);
AGENT_EXPORT int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    if (!real_open64)
        blocking_find((void **)&real_open64, "open64");
    if (!waits_are_told())
        return real_open64(path, flags, mode);
    struct waits_call call = waits_begin(WAIT_IO);
    int fd = real_open64(path, flags, mode);
    waits_end(&call);
    return fd;
}

AGENT_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    if (!real_openat64)
        blocking_find((void **)&real_openat64, "openat64");
    if (!waits_are_told())
        return real_openat64(folder, path, flags, mode);
    struct waits_call call = waits_begin(WAIT_IO);
    int fd = real_openat64(folder, path, flags, mode);
    waits_end(&call);
    return fd;
}

WAIT(int, __open64_2, WAIT_IO, (const char *path, int flags), (path, flags))
WAIT(int, __openat64_2, WAIT_IO, (int folder, const char *path, int flags), (folder, path, flags))

/* Whatever the third argument is, it is a word or not there. By the name that every libc has. */
static int (*real_fcntl)(int, int, ...);
AGENT_EXPORT int control_file(int fd, int command, ...) __asm__("fcntl64");
AGENT_EXPORT int control_file(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!real_fcntl)
        blocking_find((void **)&real_fcntl, "fcntl");
    if ((command != F_SETLKW && command != F_OFD_SETLKW) || !waits_are_told())
        return real_fcntl(fd, command, argument);
    struct waits_call call = waits_begin(WAIT_IO);
    int result = real_fcntl(fd, command, argument);
    waits_end(&call);
    return result;
}

/* Offsets have 64 bits under either name. */
#define SAME(name, as) ".globl " name "\n.set " name ", " as "\n"
__asm__(SAME("pread", "pread64") SAME("pwrite", "pwrite64") SAME("lockf", "lockf64")
            SAME("preadv", "preadv64") SAME("pwritev", "pwritev64") SAME("preadv2", "preadv64v2")
                SAME("pwritev2", "pwritev64v2") SAME("sendfile", "sendfile64")
                    SAME("open", "open64") SAME("openat", "openat64") SAME("__open_2", "__open64_2")
                        SAME("__openat_2", "__openat64_2") SAME("fcntl", "fcntl64"));
