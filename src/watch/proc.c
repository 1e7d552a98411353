/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_of(pid_t pid, uint32_t tid, const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/task/%u/%s", (int)pid, tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

void proc_open(struct proc_thread *thread, pid_t pid, uint32_t tid)
{
    thread->schedstat = open_of(pid, tid, "schedstat");
    thread->syscall = open_of(pid, tid, "syscall");
}

void proc_close(struct proc_thread *thread)
{
    if (thread->schedstat >= 0)
        close(thread->schedstat);
    if (thread->syscall >= 0)
        close(thread->syscall);
    thread->schedstat = thread->syscall = -1;
}

static bool read_text(int fd, char *text, size_t room)
{
    ssize_t n = fd < 0 ? -1 : pread(fd, text, room - 1, 0);
    if (n <= 0)
        return false;
    text[n] = 0;
    return true;
}

bool proc_times(const struct proc_thread *thread, struct proc_times *out)
{
    char text[96], *at = text;
    if (!read_text(thread->schedstat, text, sizeof text))
        return false;
    out->cpu_ns = strtoull(at, &at, 10);
    out->delay_ns = strtoull(at, &at, 10);
    out->n_turns = strtoull(at, &at, 10);
    return true;
}

bool proc_can_be_seen(pid_t pid)
{
    struct proc_thread thread;
    proc_open(&thread, pid, (uint32_t)pid);
    bool is_open = thread.schedstat >= 0 && thread.syscall >= 0;
    proc_close(&thread);
    return is_open || (kill(pid, 0) != 0 && errno == ESRCH);
}

bool proc_takes(pid_t pid, uint32_t tid, int signal)
{
    char text[4096];
    int fd = open_of(pid, tid, "status");
    bool is_read = read_text(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    const char *tracer = is_read ? strstr(text, "\nTracerPid:") : NULL;
    const char *blocked = is_read ? strstr(text, "\nSigBlk:") : NULL;
    return tracer && strtol(tracer + 11, NULL, 10) == 0 && blocked &&
           !(strtoull(blocked + 8, NULL, 16) >> (signal - 1) & 1);
}

/* System calls by what a thread waits for in them; all others are WAIT_IO if they work on files,
 * which nearly all that block do. */
static const struct {
    long number;
    enum wait_kind kind;
} kinds[] = {
    {SYS_nanosleep, WAIT_SLEEP},
    {SYS_clock_nanosleep, WAIT_SLEEP},
    {SYS_pause, WAIT_SLEEP},
    {SYS_rt_sigtimedwait, WAIT_SLEEP},
    {SYS_rt_sigsuspend, WAIT_SLEEP},
    {SYS_restart_syscall, WAIT_SLEEP},
    {SYS_poll, WAIT_POLL},
    {SYS_ppoll, WAIT_POLL},
    {SYS_select, WAIT_POLL},
    {SYS_pselect6, WAIT_POLL},
    {SYS_epoll_wait, WAIT_POLL},
    {SYS_epoll_pwait, WAIT_POLL},
    {441 /* epoll_pwait2 */, WAIT_POLL},
    {SYS_wait4, WAIT_CHILD},
    {SYS_waitid, WAIT_CHILD},
    {SYS_vfork, WAIT_CHILD},
    {SYS_clone, WAIT_CHILD},
    {435 /* clone3 */, WAIT_CHILD},
    {SYS_futex, WAIT_LOCK},
};

static enum wait_kind kind_of(long number, uint64_t first, uint64_t second)
{
    /* Waiting for no file at all is sleeping: time.sleep does it by select in some versions. */
    bool has_files = number == SYS_poll || number == SYS_ppoll ? second != 0 : first != 0;
    bool is_select =
        number == SYS_select || number == SYS_pselect6 || number == SYS_poll || number == SYS_ppoll;
    if (is_select && !has_files)
        return WAIT_SLEEP;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].number == number)
            return kinds[i].kind;
    return WAIT_IO;
}

/* "running", or the number of the call, its six arguments, stack and instruction pointers; the
 * number is -1 for a thread that is blocked outside a system call (a page that is being read). */
bool proc_block(const struct proc_thread *thread, struct proc_block *out)
{
    char text[256], *at = text;
    *out = (struct proc_block){0};
    if (!read_text(thread->syscall, text, sizeof text)) {
        /* Who has just ended is not one that may not be asked. */
        struct proc_times times;
        out->is_running = !proc_times(thread, &times);
        return out->is_running;
    }
    out->is_running = strncmp(text, "running", 7) == 0;
    if (out->is_running)
        return true;
    long number = strtol(at, &at, 10);
    uint64_t first = strtoull(at, &at, 16), second = strtoull(at, &at, 16);
    out->kind = number < 0 ? WAIT_OTHER : kind_of(number, first, second);
    out->futex = out->kind == WAIT_LOCK ? first : 0;
    return true;
}
