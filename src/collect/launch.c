/* SPDX-License-Identifier: Apache-2.0 */
/* Fork, environment and exec of the program. */
#include "collect/launch.h"

#include "base/arena.h"
#include "wire/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_variable(const char *entry, const char *name)
{
    size_t n = strlen(name);
    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Our environment with the agent's two variables put in; the others keep their order. */
static char **environment_with_agent(struct arena *arena, const char *preload, const char *folder)
{
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **environment = arena_alloc(arena, (n + 3) * sizeof *environment);
    for (size_t i = 0; i < n; i++)
        if (!is_variable(environ[i], "LD_PRELOAD") && !is_variable(environ[i], CONTROL_ENV))
            environment[kept++] = environ[i];
    const char *before = getenv("LD_PRELOAD");
    bool has_before = before && *before;
    environment[kept++] = arena_printf(arena, "LD_PRELOAD=%s%s%s", preload, has_before ? ":" : "",
                                       has_before ? before : "");
    environment[kept++] = arena_printf(arena, "%s=%s", CONTROL_ENV, folder);
    return environment;
}

/* In the child: nothing here may allocate. The pipe closes by itself when the exec succeeds. */
static _Noreturn void become(char **argv, char **environment, const struct signals *signals,
                             int report_fd)
{
    signals_inherit(signals);
    execve(argv[0], argv, environment);
    int cause = errno;
    ssize_t written = write(report_fd, &cause, sizeof cause);
    _exit(written == (ssize_t)sizeof cause ? 126 : 127);
}

/* 0 when the exec succeeded, else its errno. */
static int wait_for_exec(int fd)
{
    int cause = 0;
    ssize_t n;
    do
        n = read(fd, &cause, sizeof cause);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof cause ? cause : 0;
}

bool launch(pid_t *pid, const char *const *argv, const char *preload, const char *folder,
            const struct signals *signals, struct err *e)
{
    struct arena arena = {0};
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return err_set(e, "cannot start '%s': %s.", argv[0], strerror(errno));
    char **environment = preload ? environment_with_agent(&arena, preload, folder) : environ;
    *pid = fork();
    if (*pid == 0) {
        close(report[0]);
        become((char **)(uintptr_t)argv, environment, signals, report[1]);
    }
    int cause = *pid < 0 ? errno : 0;
    close(report[1]);
    if (*pid > 0 && (cause = wait_for_exec(report[0])) != 0)
        waitpid(*pid, NULL, 0);
    close(report[0]);
    arena_fini(&arena);
    return cause == 0 || err_set(e, "cannot start '%s': %s.", argv[0], strerror(cause));
}
