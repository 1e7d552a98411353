/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/burst.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PERIOD_NS 997000 /* a prime number of microseconds: in step with nothing */
/* What a sample and a context switch cost while the event is open, as measured on a virtual machine
 * (a sample costs a third of that on bare metal). */
#define SAMPLE_COST_NS 30000
#define SWITCH_COST_NS 7600
#define BUDGET_SHARE   600  /* one part in so many of the thread's CPU time, at most */
#define OLD_SHARE      1200 /* and of what follows its first second: it is well known then */
#define OLD_NS         1000000000
#define BUDGET_MIN_NS  1000000  /* enough for a burst worth its opening */
#define BUDGET_MAX_NS  20000000 /* what a thread may save up while bursts do not fit */
/* Whoever asks for samples rarer than this wants few: the timers alone give as many. */
#define PERIOD_MAX_NS 10000000

struct burst_terms burst_terms(uint32_t period_ns)
{
    return (struct burst_terms){period_ns > PERIOD_MAX_NS ? BURST_REFUSED : BURST_UNKNOWN};
}

void burst_init(struct burst *burst)
{
    *burst = (struct burst){.fd = -1, .budget_ns = BUDGET_MIN_NS};
}

void burst_fini(struct burst *burst)
{
    if (burst->fd >= 0)
        close(burst->fd);
    burst->fd = -1;
}

/* An event must never reach a program that does not take it: SIGTRAP would kill it. The event is
 * opened switched off; if the process is still the image whose agent we know, it may be switched
 * on, for should it exec from now on the kernel removes the event. */
static bool is_safe(const struct burst_target *target)
{
    uint64_t cookie = 0;
    remote_begin(target->remote, NULL);
    return target->cookie_at && remote_read(target->remote, target->cookie_at, &cookie, 8) &&
           cookie == PERF_COOKIE && proc_takes(target->remote->pid, target->tid, SIGTRAP);
}

/* User mode only: that is all an ordinary user may ask for, and such an event never cuts a system
 * call short. */
static void burst_open(struct burst *burst, struct burst_terms *terms,
                       const struct burst_target *target)
{
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof event,
                                    .config = PERF_COUNT_SW_TASK_CLOCK,
                                    .sample_period = PERIOD_NS,
                                    .disabled = 1,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1,
                                    .sigtrap = 1,
                                    .remove_on_exec = 1,
                                    .sig_data = PERF_COOKIE};
    burst->fd =
        (int)syscall(SYS_perf_event_open, &event, target->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (terms->access == BURST_UNKNOWN)
        terms->access = burst->fd >= 0 ? BURST_ALLOWED : BURST_REFUSED;
    if (burst->fd >= 0 && (!is_safe(target) || ioctl(burst->fd, PERF_EVENT_IOC_ENABLE, 0) != 0))
        burst_fini(burst);
}

void burst_look(struct burst *burst, struct burst_terms *terms, const struct burst_target *target,
                const struct proc_times *before, const struct proc_times *now, int64_t wall_ns)
{
    int64_t cpu_ns = (int64_t)(now->cpu_ns - before->cpu_ns);
    int64_t n_turns = (int64_t)(now->n_turns - before->n_turns);
    if (terms->access == BURST_REFUSED || wall_ns <= 0)
        return;
    burst->budget_ns += cpu_ns / (now->cpu_ns < OLD_NS ? BUDGET_SHARE : OLD_SHARE);
    if (burst->budget_ns > BUDGET_MAX_NS)
        burst->budget_ns = BUDGET_MAX_NS;
    if (burst->fd >= 0) {
        burst->budget_ns -= cpu_ns / PERIOD_NS * SAMPLE_COST_NS + n_turns * SWITCH_COST_NS;
        if (burst->budget_ns < 0)
            burst_fini(burst);
        return;
    }
    /* Threads that run in many short turns would pay for the switches, not for samples. One look is
     * not enough to know: at the first at a thread its turns are counted from when we heard of it,
     * its time from when it began. */
    bool runs_on = cpu_ns > wall_ns / 4 && n_turns * SWITCH_COST_NS * BUDGET_SHARE < wall_ns;
    bool is_steady = runs_on && burst->ran_on;
    burst->ran_on = runs_on;
    if (is_steady && burst->budget_ns > BUDGET_MIN_NS)
        burst_open(burst, terms, target);
}
