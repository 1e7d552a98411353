/* SPDX-License-Identifier: Apache-2.0 */
/* Files as the agent itself reads them: past its own hooks (blocking.h), for it is not the program
 * that waits then. */
#ifndef SCALENE_AGENT_FILE_H
#define SCALENE_AGENT_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the libc's. Context: signal | hook | any thread | boot */
static inline int file_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline ssize_t file_read(int fd, void *to, size_t n)
{
    return syscall(SYS_read, fd, to, n);
}

#endif
