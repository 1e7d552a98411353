/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a command by one named function of libc: launch WAY COMMAND ARGUMENT ARGUMENT. Prints
 * "errno N" where the function gives an error back. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As the kernel's headers have it, for the libc's may not. */
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

static int by_execve(char **argv)
{
    return execve(argv[0], argv, environ);
}

static int by_execv(char **argv)
{
    return execv(argv[0], argv);
}

static int by_execvp(char **argv)
{
    return execvp(argv[0], argv);
}

static int by_execvpe(char **argv)
{
    return execvpe(argv[0], argv, environ);
}

static int by_execl(char **argv)
{
    return execl(argv[0], argv[0], argv[1], argv[2], (char *)NULL);
}

static int by_execlp(char **argv)
{
    return execlp(argv[0], argv[0], argv[1], argv[2], (char *)NULL);
}

static int by_execle(char **argv)
{
    return execle(argv[0], argv[0], argv[1], argv[2], (char *)NULL, environ);
}

static int by_null_environment(char **argv)
{
    return execve(argv[0], argv, NULL);
}

static int by_fexecve(char **argv)
{
    return fexecve(open(argv[0], O_RDONLY), argv, environ);
}

static int by_execveat(char **argv)
{
    return execveat(open(argv[0], O_RDONLY), "", argv, environ, AT_EMPTY_PATH);
}

/* The shell and spawn functions come back: what they started has ended well, or errno says why. */
static int wait_for(pid_t pid)
{
    int status;
    waitpid(pid, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static int by_posix_spawn(char **argv)
{
    pid_t pid;
    errno = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
    return errno ? -1 : wait_for(pid);
}

static int by_posix_spawnp(char **argv)
{
    pid_t pid;
    errno = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    return errno ? -1 : wait_for(pid);
}

static int by_vfork(char **argv)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execv(argv[0], argv);
        _exit(errno == ENOENT ? 98 : 97);
    }
    return wait_for(pid);
}

static void make_line(char *line, size_t room, char **argv)
{
    snprintf(line, room, "'%s' '%s' '%s'", argv[0], argv[1], argv[2]);
}

/* Tells environments apart (FNV-1a over the entries with their ends, in order). */
static size_t environment_hash(void)
{
    size_t hash = 14695981039346656037u;
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0, n = strlen(*entry) + 1; i < n; i++)
            hash = (hash ^ (unsigned char)(*entry)[i]) * 1099511628211u;
    return hash;
}

/* The environment must be what it was when such a function is done. */
static int shell_status(int status, size_t hash_before)
{
    if (environment_hash() != hash_before)
        exit(96);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static int by_system(char **argv)
{
    char line[8192];
    size_t hash = environment_hash();
    make_line(line, sizeof line, argv);
    return shell_status(system(line), hash);
}

static int by_popen(char **argv)
{
    char line[8192];
    size_t hash = environment_hash();
    make_line(line, sizeof line, argv);
    FILE *stream = popen(line, "r");
    return stream ? shell_status(pclose(stream), hash) : -1;
}

static const struct {
    const char *name;
    int (*launch)(char **argv);
} ways[] = {
    {"execve", by_execve},
    {"execv", by_execv},
    {"execvp", by_execvp},
    {"execvpe", by_execvpe},
    {"execl", by_execl},
    {"execlp", by_execlp},
    {"execle", by_execle},
    {"execve-null", by_null_environment},
    {"fexecve", by_fexecve},
    {"execveat", by_execveat},
    {"posix_spawn", by_posix_spawn},
    {"posix_spawnp", by_posix_spawnp},
    {"vfork", by_vfork},
    {"system", by_system},
    {"popen", by_popen},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 5 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[1]) == 0) {
            ways[i].launch(argv + 2);
            printf("errno %d\n", errno);
            return 1;
        }
    fprintf(stderr, "usage: launch WAY COMMAND ARGUMENT ARGUMENT\n");
    return 2;
}
