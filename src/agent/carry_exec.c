/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of the exec and posix_spawn families: the real call, with our variables in its environment.
 *
 * These run in children of vfork and in signal handlers. They write nothing but their own stack,
 * and take only as much of it as the environment needs, for the stack may be a small one. What is
 * larger than STACK_BYTES is mapped; in the child of a vfork a successful exec then leaves the
 * mapping to the parent, a price only environments of thousands of variables pay. */
#include "agent/carry.h"

#include "agent/signals.h"

#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

#define HOOK __attribute__((visibility("default")))

/* Room for 2048 variables and two long paths. */
#define STACK_BYTES ((size_t)24 * 1024)

/* A call to one of the hooks: `start` makes the real one of it. */
struct launch {
    int (*start)(const struct launch *launch, char *const *envp);
    enum carry_function function;
    const char *path;
    char *const *argv;
    char *const *envp;
    int fd, flags;                                  /* fexecve, execveat */
    pid_t *pid;                                     /* posix_spawn and posix_spawnp, with the two */
    const posix_spawn_file_actions_t *file_actions; /* below */
    const posix_spawnattr_t *attributes;
};

static int start_exec(const struct launch *launch, char *const *envp)
{
    int (*real)(const char *, char *const *, char *const *) = carry_real(launch->function);
    signals_drop_trap();
    return real(launch->path, launch->argv, envp);
}

static int start_fexecve(const struct launch *launch, char *const *envp)
{
    int (*real)(int, char *const *, char *const *) = carry_real(launch->function);
    signals_drop_trap();
    return real(launch->fd, launch->argv, envp);
}

/* The libc has execveat only since 2.34, and there it is the bare system call. */
static int start_execveat(const struct launch *launch, char *const *envp)
{
    signals_drop_trap();
    return (int)syscall(SYS_execveat, launch->fd, launch->path, launch->argv, envp, launch->flags);
}

static int start_spawn(const struct launch *launch, char *const *envp)
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const *, char *const *) =
        carry_real(launch->function);
    return real(launch->pid, launch->path, launch->file_actions, launch->attributes, launch->argv,
                envp);
}

static int launch_mapped(const struct launch *launch, const struct carry_plan *plan)
{
    void *room = carry_map(plan->room_bytes);
    if (!room)
        return launch->start(launch, launch->envp);
    int result = launch->start(launch, carry_fill(plan, room));
    carry_unmap(room, plan->room_bytes);
    return result;
}

static int launch_carrying(const struct launch *launch)
{
    struct carry_plan plan;
    carry_measure(&plan, launch->envp);
    if (plan.room_bytes == 0)
        return launch->start(launch, launch->envp);
    if (plan.room_bytes > STACK_BYTES)
        return launch_mapped(launch, &plan);
    return launch->start(launch, carry_fill(&plan, alloca(plan.room_bytes)));
}

static size_t count_arguments(const char *first, va_list list)
{
    size_t n = 0;
    va_list walk;
    va_copy(walk, list);
    for (const char *argument = first; argument; argument = va_arg(walk, const char *))
        n++;
    va_end(walk);
    return n;
}

/* Collects the arguments of execl and its kin, and the environment behind their NULL where one is
 * given, then launches. */
static int launch_listed(struct launch *launch, bool has_envp, const char *first, va_list list)
{
    size_t n = count_arguments(first, list), bytes = (n + 1) * sizeof(char *);
    bool is_mapped = bytes > STACK_BYTES;
    char **argv = is_mapped ? carry_map(bytes) : alloca(bytes);
    if (!argv)
        return -1;
    argv[0] = (char *)first;
    for (size_t i = 1; i <= n; i++)
        argv[i] = va_arg(list, char *);
    launch->argv = argv;
    launch->envp = has_envp ? va_arg(list, char *const *) : environ;
    int result = launch_carrying(launch);
    if (is_mapped)
        carry_unmap(argv, bytes);
    return result;
}

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
    return launch_carrying(&(struct launch){
        .start = start_exec, .function = CARRY_EXECVE, .path = path, .argv = argv, .envp = envp});
}

HOOK int execv(const char *path, char *const argv[])
{
    return launch_carrying(&(struct launch){.start = start_exec,
                                            .function = CARRY_EXECVE,
                                            .path = path,
                                            .argv = argv,
                                            .envp = environ});
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return launch_carrying(&(struct launch){
        .start = start_exec, .function = CARRY_EXECVPE, .path = file, .argv = argv, .envp = envp});
}

HOOK int execvp(const char *file, char *const argv[])
{
    return launch_carrying(&(struct launch){.start = start_exec,
                                            .function = CARRY_EXECVPE,
                                            .path = file,
                                            .argv = argv,
                                            .envp = environ});
}

HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
    return launch_carrying(&(struct launch){
        .start = start_fexecve, .function = CARRY_FEXECVE, .fd = fd, .argv = argv, .envp = envp});
}

/* Declared here too, for a libc whose headers do not know it. */
int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags);

HOOK int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
    return launch_carrying(&(struct launch){.start = start_execveat,
                                            .fd = fd,
                                            .path = path,
                                            .argv = argv,
                                            .envp = envp,
                                            .flags = flags});
}

HOOK int execl(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    struct launch launch = {.start = start_exec, .function = CARRY_EXECVE, .path = path};
    int result = launch_listed(&launch, false, first, list);
    va_end(list);
    return result;
}

HOOK int execlp(const char *file, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    struct launch launch = {.start = start_exec, .function = CARRY_EXECVPE, .path = file};
    int result = launch_listed(&launch, false, first, list);
    va_end(list);
    return result;
}

HOOK int execle(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    struct launch launch = {.start = start_exec, .function = CARRY_EXECVE, .path = path};
    int result = launch_listed(&launch, true, first, list);
    va_end(list);
    return result;
}

HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *file_actions,
                     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return launch_carrying(&(struct launch){.start = start_spawn,
                                            .function = CARRY_POSIX_SPAWN,
                                            .path = path,
                                            .argv = argv,
                                            .envp = envp,
                                            .pid = pid,
                                            .file_actions = file_actions,
                                            .attributes = attributes});
}

HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *file_actions,
                      const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return launch_carrying(&(struct launch){.start = start_spawn,
                                            .function = CARRY_POSIX_SPAWNP,
                                            .path = file,
                                            .argv = argv,
                                            .envp = envp,
                                            .pid = pid,
                                            .file_actions = file_actions,
                                            .attributes = attributes});
}
