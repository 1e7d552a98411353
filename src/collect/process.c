/* SPDX-License-Identifier: Apache-2.0 */
/* Watching processes that need not be our children: by pidfd where the kernel and the limit on open
 * files allow it, else by /proc/PID/stat. */
#include "collect/process.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The fields of /proc/PID/stat that matter here. */
struct stat_line {
    char state;
    long n_threads;
    uint64_t start_ticks;
};

static bool read_stat(pid_t pid, struct stat_line *line)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    /* The name, in parentheses, may itself contain any character: look for the last one. */
    const char *after_name = strrchr(text, ')');
    unsigned long long start_ticks = 0;
    bool is_read = after_name &&
                   sscanf(after_name + 1,
                          " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld"
                          " %*d %llu",
                          &line->state, &line->n_threads, &start_ticks) == 3;
    line->start_ticks = start_ticks;
    return is_read;
}

void process_open(struct process *process, pid_t pid)
{
    struct stat_line line;
    process->pid = pid;
    process->start_ticks = read_stat(pid, &line) ? line.start_ticks : 0;
    process->fd = (int)syscall(SYS_pidfd_open, pid, 0);
}

void process_close(struct process *process)
{
    if (process->fd >= 0)
        close(process->fd);
    process->fd = -1;
}

bool process_is_gone(const struct process *process)
{
    struct stat_line line;
    if (process->fd >= 0) {
        struct pollfd end = {.fd = process->fd, .events = POLLIN};
        return poll(&end, 1, 0) > 0;
    }
    if (process->start_ticks == 0 || !read_stat(process->pid, &line))
        return true;
    /* A main thread that has ended before the others looks like a zombie, too. */
    bool is_dead = (line.state == 'Z' || line.state == 'X') && line.n_threads <= 1;
    return is_dead || line.start_ticks != process->start_ticks;
}

bool process_is_stopped(pid_t pid)
{
    struct stat_line line;
    return read_stat(pid, &line) && line.state == 'T';
}

uint64_t process_cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec cpu;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &cpu) != 0)
        return 0;
    return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}
