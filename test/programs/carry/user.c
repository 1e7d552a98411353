/* SPDX-License-Identifier: Apache-2.0 */
/* A library that the user of a test preloads. Its execve does not call the next one: only an agent
 * that stands in front of it gets to carry anything. */
#include <sys/syscall.h>
#include <unistd.h>

int execve(const char *path, char *const argv[], char *const envp[])
{
    return (int)syscall(SYS_execve, path, argv, envp);
}
