/* SPDX-License-Identifier: Apache-2.0 */
/* Fork, environment and exec of the program. */
#include "collect/launch.h"

#include "base/arena.h"
#include "wire/preload.h"
#include "wire/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The entry of a variable that counts, which is the last one; NULL: it is not set. */
static char **find_variable(char **environment, const char *name)
{
    char **found = NULL;
    size_t n = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, n) == 0 && (*environment)[n] == '=')
            found = environment;
    return found;
}

static char *preload_with_agent(struct arena *arena, const char *agent, const char *theirs)
{
    int n = (int)preload_head(theirs);
    if (n == 0)
        return arena_printf(arena, "LD_PRELOAD=%s:%s", agent, theirs);
    return arena_printf(arena, "LD_PRELOAD=%.*s:%s%s", n, theirs, agent, theirs + n);
}

/* Our environment with the agent's two variables in it; all others keep their places. A LD_PRELOAD
 * that was there stays behind the agent's with a colon between, even an empty one: so the agent can
 * give the program back what it would have had. (A sanitizer stays in front.) */
static char **environment_with_agent(struct arena *arena, const char *preload, const char *folder)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **environment = arena_alloc(arena, (n + 3) * sizeof *environment);
    memcpy(environment, environ, n * sizeof *environment);
    char **before = find_variable(environment, "LD_PRELOAD");
    if (before)
        *before = preload_with_agent(arena, preload, strchr(*before, '=') + 1);
    else
        environment[n++] = arena_printf(arena, "LD_PRELOAD=%s", preload);
    before = find_variable(environment, CONTROL_ENV);
    *(before ? before : &environment[n]) = arena_printf(arena, "%s=%s", CONTROL_ENV, folder);
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
