/* SPDX-License-Identifier: Apache-2.0 */
/* Hearing and forwarding of signals, and job control.
 *
 * The program is in our process group and on our terminal, so what the terminal sends reaches both
 * of us; only what was sent to us alone has to be forwarded. All signals are blocked here and read
 * from a signalfd, which tells who sent them; the witness tells whether others got them, too. */
#include "collect/signals.h"

#include "collect/process.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often the watcher looks whether a stopped program was continued by somebody else. */
#define WATCH_NS (20L * 1000 * 1000)
/* A shell continues a process group member by member: the program has its turn within this. */
#define CONTINUE_NS (2L * 1000 * 1000)

bool signals_open(struct signals *signals, struct err *e)
{
    sigset_t all;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigfillset(&all);
    signals->fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd < 0)
        return err_set(e, "cannot listen to signals: %s.", strerror(errno));
    sigprocmask(SIG_SETMASK, &all, &signals->inherited_mask);
    sigaction(SIGCHLD, &by_default, &signals->inherited_child);
    witness_open(&signals->witness);
    return true;
}

void signals_inherit(const struct signals *signals)
{
    sigaction(SIGCHLD, &signals->inherited_child, NULL);
    sigprocmask(SIG_SETMASK, &signals->inherited_mask, NULL);
}

void signals_close(struct signals *signals)
{
    if (signals->fd < 0)
        return;
    witness_close(&signals->witness);
    signals_take(signals, 0);
    close(signals->fd);
    signals->fd = -1;
    signals_inherit(signals);
}

/* Whether the kernel has sent this to our whole group on behalf of the terminal. */
static bool is_from_terminal(const struct signalfd_siginfo *info)
{
    static const int by_terminal[] = {SIGINT,  SIGQUIT, SIGTSTP, SIGTTIN,
                                      SIGTTOU, SIGHUP,  SIGCONT, SIGWINCH};
    if (info->ssi_code != SI_KERNEL)
        return false;
    for (size_t i = 0; i < sizeof by_terminal / sizeof *by_terminal; i++)
        if (info->ssi_signo == (uint32_t)by_terminal[i])
            return true;
    return false;
}

/* What the program itself sends to its group, or to its parent, is not to come back to it; and a
 * SIGCONT is of use only to a program that is stopped: others that share the group had it already.
 */
static bool is_forwarded(struct signals *signals, const struct signalfd_siginfo *info, pid_t pid)
{
    bool is_sent = info->ssi_code == SI_USER || info->ssi_code == SI_QUEUE ||
                   info->ssi_code == SI_TKILL || info->ssi_signo == SIGALRM;
    if (!is_sent || info->ssi_signo == SIGCHLD || is_from_terminal(info))
        return false;
    if (info->ssi_code == SI_USER &&
        (info->ssi_pid == (uint32_t)pid || info->ssi_pid == (uint32_t)getpid()))
        return false;
    if (info->ssi_signo == SIGCONT)
        return process_is_stopped(pid);
    return !witness_heard(&signals->witness, info->ssi_signo, info->ssi_pid);
}

void signals_take(struct signals *signals, pid_t pid)
{
    struct signalfd_siginfo info;
    while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (pid == 0 || !is_forwarded(signals, &info, pid))
            continue;
        if (info.ssi_code == SI_QUEUE)
            sigqueue(pid, (int)info.ssi_signo, (union sigval){.sival_ptr = (void *)info.ssi_ptr});
        else
            kill(pid, (int)info.ssi_signo);
    }
}

/* A process that continues us when the program is continued behind our back, for nobody else could
 * while we are stopped. It lives only as long as we are. */
static pid_t start_watcher(pid_t pid)
{
    pid_t us = getpid(), watcher = fork();
    if (watcher != 0)
        return watcher;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == us && process_is_stopped(pid))
        nanosleep(&(struct timespec){.tv_nsec = WATCH_NS}, NULL);
    kill(us, SIGCONT);
    _exit(0);
}

static void end_watcher(pid_t watcher)
{
    if (watcher <= 0)
        return;
    kill(watcher, SIGKILL);
    waitpid(watcher, NULL, 0);
}

void signals_stop_with(struct signals *signals, pid_t pid, int signal)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL}, before;
    sigset_t only;
    pid_t watcher = start_watcher(pid);
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigaction(signal, &by_default, &before);
    kill(getpid(), signal);
    sigprocmask(SIG_UNBLOCK, &only, NULL); /* here we stand still */
    sigprocmask(SIG_BLOCK, &only, NULL);
    if (signal != SIGSTOP)
        sigaction(signal, &before, NULL);
    end_watcher(watcher);
    nanosleep(&(struct timespec){.tv_nsec = CONTINUE_NS}, NULL);
    if (process_is_stopped(pid))
        kill(pid, SIGCONT);
    signals_take(signals, pid);
}
