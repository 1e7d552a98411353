/* SPDX-License-Identifier: Apache-2.0 */
/* The witness process and the pipe through which it speaks. */
#include "collect/witness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a forwarded signal is held back for the witness to speak. */
#define WAIT_MS 10
/* What was heard longer ago belongs to an earlier signal: some merge on their way to us. */
#define STALE_NS (500ll * 1000 * 1000)

struct heard {
    int64_t time_ns; /* CLOCK_MONOTONIC */
    uint32_t signal, sender;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Keeps nothing of ours open, so that no reader of a pipe waits for the witness. */
static void close_all_but(int fd)
{
    if (fd > 0)
        syscall(SYS_close_range, 0u, (unsigned)fd - 1, 0u);
    syscall(SYS_close_range, (unsigned)fd + 1, ~0u, 0u);
}

static _Noreturn void testify(int fd, pid_t parent)
{
    sigset_t all;
    siginfo_t info;
    sigfillset(&all);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "scalene-witness");
    close_all_but(fd);
    while (getppid() == parent) {
        if (sigwaitinfo(&all, &info) <= 0)
            continue;
        struct heard heard = {now_ns(), (uint32_t)info.si_signo, (uint32_t)info.si_pid};
        if (write(fd, &heard, sizeof heard) < 0)
            continue; /* full: the collector is stopped or gone */
    }
    _exit(0);
}

void witness_open(struct witness *witness)
{
    int ends[2];
    pid_t us = getpid();
    *witness = (struct witness){.fd = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    witness->pid = fork();
    if (witness->pid == 0)
        testify(ends[1], us);
    close(ends[1]);
    witness->fd = ends[0];
    if (witness->pid < 0)
        witness_close(witness);
}

void witness_close(struct witness *witness)
{
    if (witness->pid > 0) {
        kill(witness->pid, SIGKILL);
        waitpid(witness->pid, NULL, 0);
    }
    if (witness->fd >= 0)
        close(witness->fd);
    *witness = (struct witness){.fd = -1};
}

bool witness_heard(struct witness *witness, uint32_t signal, uint32_t sender)
{
    struct pollfd word = {.fd = witness->fd, .events = POLLIN};
    struct heard heard;
    if (witness->pid <= 0)
        return false;
    while (poll(&word, 1, WAIT_MS) > 0) {
        if (read(witness->fd, &heard, sizeof heard) != (ssize_t)sizeof heard)
            return false;
        if (heard.signal == signal && heard.sender == sender && now_ns() - heard.time_ns < STALE_NS)
            return true;
    }
    return false;
}
