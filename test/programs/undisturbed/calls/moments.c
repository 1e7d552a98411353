/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a moment, for a signal, or for one of several files. */
#include "calls.h"

/* ---- sleeps ---- */

int call_nanosleep(void)
{
    return nanosleep(&length, NULL);
}
int call_clock_nanosleep(void)
{
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
}
int call_usleep(void)
{
    return usleep(LONG_NS / 1000);
}
int call_thrd_sleep(void)
{
    return thrd_sleep(&length, NULL);
}

/* ---- signals ---- */

static pthread_t waiter;

static void send_signal(void)
{
    pthread_kill(waiter, SIGUSR2);
}

static sigset_t awaited(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    waiter = pthread_self();
    return set;
}

int call_sigwait(void)
{
    int number = 0;
    sigset_t set = awaited();
    later(send_signal);
    return done(sigwait(&set, &number) == 0 && number == SIGUSR2);
}
int call_sigwaitinfo(void)
{
    sigset_t set = awaited();
    later(send_signal);
    return done(sigwaitinfo(&set, NULL) == SIGUSR2);
}
int call_sigtimedwait(void)
{
    sigset_t set = awaited();
    return sigtimedwait(&set, NULL, &length) == -1 && errno == EAGAIN ? 0 : 1;
}
static void nothing(int number)
{
    (void)number;
}
int call_sigsuspend(void)
{
    sigset_t mask;
    awaited();
    signal(SIGUSR2, nothing);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    sigdelset(&mask, SIGUSR2);
    later(send_signal);
    return done(sigsuspend(&mask) == -1 && errno == EINTR);
}

/* ---- one of several files ---- */

int call_select(void)
{
    fd_set set;
    a_pipe();
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return done(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1);
}
int call_pselect(void)
{
    fd_set set;
    a_pipe();
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return done(pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL) == 1);
}
int call_poll(void)
{
    a_pipe();
    return done(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1) == 1);
}
int call_ppoll(void)
{
    a_pipe();
    return done(ppoll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, NULL, NULL) == 1);
}
static int an_epoll(void)
{
    int fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    a_pipe();
    epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event);
    return fd;
}
int call_epoll_wait(void)
{
    struct epoll_event event;
    return done(epoll_wait(an_epoll(), &event, 1, -1) == 1);
}
int call_epoll_pwait(void)
{
    struct epoll_event event;
    return done(epoll_pwait(an_epoll(), &event, 1, -1, NULL) == 1);
}
