/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring begins in a Python that runs already, and ends before it does: the library was loaded
 * by the program itself, which calls these functions, holding the GIL for scalene_attach.
 *
 * May be done again and again. What was patched or installed once stays: hooks that find nothing to
 * do cost next to nothing. */
#include "agent/agent.h"
#include "agent/boot.h"
#include "agent/carry.h"
#include "agent/countdown.h"
#include "agent/got.h"
#include "agent/process.h"
#include "agent/real.h"
#include "agent/threads.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define ARGUMENTS_MAX 256
/* Threads inside the agent are there for microseconds; one may have lost its CPU meanwhile. */
#define TURNS_MAX 20000

static bool is_attached;

/* The process's arguments, as the kernel has them. */
static int read_arguments(char *text, size_t room, char **argv)
{
    int argc = 0, fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (char *at = text; n > 0 && at < text + n && argc < ARGUMENTS_MAX; at += strlen(at) + 1)
        argv[argc++] = at;
    return argc;
}

static bool begin(const char *folder)
{
    static char path[1024], text[16384];
    static char *argv[ARGUMENTS_MAX];
    if (strlen(folder) >= sizeof path)
        return false;
    strcpy(path, folder);
    process_facts.folder = path;
    if (!boot_map_control())
        return false;
    /* It reads our memory from outside, as a parent might. */
    prctl(PR_SET_PTRACER, (unsigned long)agent.control->collector_pid, 0, 0, 0);
    boot_note_executable();
    real_ready();
    threads_prepare();
    int argc = read_arguments(text, sizeof text, argv);
    if (!got_start(agent.control->memory_mean != 0) || !boot_start(argc, argv))
        return false;
    carry_begin(agent.control->agent_path, path);
    return true;
}

static void unmap_control(void)
{
    if (agent.control)
        munmap(agent.control, sizeof *agent.control);
    agent.control = NULL;
}

/* Begins to measure into `folder`; `threads` names those that are there. 1: it does; 0: it cannot;
 * -1: this process is measured already. Context: the program, holding the GIL */
AGENT_EXPORT int scalene_attach(const char *folder, const struct threads_ident *threads, size_t n);
AGENT_EXPORT int scalene_attach(const char *folder, const struct threads_ident *threads, size_t n)
{
    if (agent.control)
        return -1;
    threads_name(threads, n);
    is_attached = begin(folder);
    threads_name(NULL, 0);
    if (!is_attached && !agent.ring.header)
        unmap_control();
    return is_attached;
}

/* Ends it. The records of this process are complete then. 0: it was not measured, or not by
 * scalene_attach. Context: the program */
AGENT_EXPORT int scalene_detach(void);
AGENT_EXPORT int scalene_detach(void)
{
    if (!is_attached || agent.pid != (uint32_t)getpid())
        return 0;
    carry_end();
    boot_finish();
    threads_stop();
    countdown_stop();
    prctl(PR_SET_PTRACER, 0, 0, 0, 0);
    for (int i = 0; i < TURNS_MAX; i++) {
        /* Pairs with agent_enter: who is not counted now finds that measuring has ended. */
        if (atomic_load_explicit(&agent.n_inside, memory_order_seq_cst) == 0) {
            process_begin_anew();
            unmap_control();
            break;
        }
        sched_yield();
    }
    is_attached = false;
    return 1;
}
