/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the Python frames and the machine's way to the evaluation loop, and the thread's CPU clock.
 */
#include "agent/sample.h"

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/control.h"
#include "agent/countdown.h"
#include "agent/frames.h"
#include "agent/process.h"
#include "agent/scratch.h"
#include "agent/threads.h"
#include "agent/unwind.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/safe.h"

#define LONG_SAMPLE_NS 100000

struct area {
    struct frames frames;
    uint64_t pcs[SCRATCH_PCS];
    unsigned n_pcs;
    bool has_reached;
    bool is_in_kernel;
};
static_assert(sizeof(struct area) <= SCRATCH_BYTES, "a sample is put together in one scratch area");

/* A fault while SIGSEGV is blocked would be the end: a thread that blocks everything has it
 * unblocked while we look. Returning from the handler restores the mask. */
static void let_faults_in(const ucontext_t *context)
{
    if (sigismember(&context->uc_sigmask, SIGSEGV) != 1 &&
        sigismember(&context->uc_sigmask, SIGBUS) != 1)
        return;
    uint64_t faults = (uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGBUS - 1);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &faults, NULL, sizeof faults);
}

/* What the thread had used at its last tick. */
static __thread uint64_t last_cpu_ns, last_kernel_ns;

/* The PC tells a system call, but not a page fault: there the interrupted instruction looks like
 * any other. The kernel books each tick to the mode it found the thread in. */
static bool ran_in_kernel(uint64_t cpu_ns)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return false;
    uint64_t kernel_ns =
        (uint64_t)usage.ru_stime.tv_sec * 1000000000u + (uint64_t)usage.ru_stime.tv_usec * 1000u;
    bool is_kernel = 2 * (kernel_ns - last_kernel_ns) > cpu_ns - last_cpu_ns;
    last_cpu_ns = cpu_ns;
    last_kernel_ns = kernel_ns;
    return is_kernel;
}

static uint16_t flags_of(const struct area *area)
{
    bool is_finalizing = frames_python.is_finalizing && frames_python.is_finalizing();
    return (uint16_t)((area->has_reached ? SAMPLE_REACHED_EVAL : 0) |
                      (area->frames.is_cut ? SAMPLE_FRAMES_CUT : 0) |
                      (area->is_in_kernel ? SAMPLE_IN_KERNEL : 0) |
                      (area->frames.has_thread_state ? 0 : SAMPLE_NO_THREAD_STATE) |
                      (is_finalizing ? SAMPLE_FINALIZING : 0));
}

static void write_sample(const struct area *area, uint64_t time_ns, uint64_t cpu_ns,
                         enum sample_engine engine)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    uint32_t frames_bytes = area->frames.n * (uint32_t)sizeof(struct record_frame);
    uint32_t pcs_bytes = area->n_pcs * (uint32_t)sizeof(uint64_t);
    uint32_t size = (uint32_t)sizeof(struct record_sample) + frames_bytes + pcs_bytes;
    struct record_sample *record = ring_reserve(&agent.ring, size);
    if (!record) {
        agent_count(COUNTER_DROPPED_RING_FULL, 1);
        return;
    }
    record->time_ns = time_ns;
    record->cpu_ns = threads_tick(tid, time_ns, cpu_ns);
    record->tid = tid;
    record->n_frames = (uint16_t)area->frames.n;
    record->n_pcs = (uint16_t)area->n_pcs;
    record->opcode = area->frames.opcode;
    record->engine = (uint8_t)engine;
    record->unused = 0;
    record->n_frames_in_all = area->frames.n + area->frames.is_cut;
    memcpy(record + 1, area->frames.frames, frames_bytes);
    memcpy((uint8_t *)(record + 1) + frames_bytes, area->pcs, pcs_bytes);
    ring_finish(record, RECORD_SAMPLE, flags_of(area), size);
    agent_count(COUNTER_SAMPLES, 1);
}

/* Our own time by the wall clock, which costs no system call, unless it took so long that the
 * thread may have lost its CPU meanwhile. */
static void count_own_time(uint64_t time_ns, uint64_t cpu_ns)
{
    uint64_t own_ns = clock_now_ns() - time_ns;
    if (own_ns > LONG_SAMPLE_NS)
        own_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
    agent_count(COUNTER_HANDLER_NS, own_ns);
}

static void take_into(struct area *area, const ucontext_t *context, uint64_t time_ns,
                      enum sample_engine engine)
{
    uint64_t cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    area->is_in_kernel = engine == ENGINE_THREAD_TIMER && ran_in_kernel(cpu_ns);
    let_faults_in(context);
    if (!frames_take(&area->frames))
        return; /* the ring is full, which has been counted */
    /* A thread Python does not know has no evaluation loop on its stack to look for. */
    unsigned max = area->frames.has_thread_state ? SCRATCH_PCS : 1;
    area->n_pcs = unwind(context, area->pcs, max, &area->has_reached);
    if (!area->has_reached && area->frames.n)
        agent_count(COUNTER_UNWIND_FAILED, 1);
    write_sample(area, time_ns, cpu_ns, engine);
    count_own_time(time_ns, cpu_ns);
}

static void take(void *ucontext, enum sample_engine engine)
{
    unsigned number;
    if (control_is_off() || !process_ring_ready())
        return;
    uint64_t start_ns = clock_now_ns();
    struct area *area = scratch_take(&number);
    if (!area) {
        agent_count(COUNTER_DROPPED_BUSY, 1);
        return;
    }
    /* What we copy ourselves is not the program's. */
    uint64_t copied_left = countdown_thread.domains[MEMORY_COPIED].left;
    bool was_busy = countdown_thread.is_busy;
    countdown_thread.is_busy = true;
    take_into(area, ucontext, start_ns, engine);
    countdown_thread.is_busy = was_busy;
    countdown_thread.domains[MEMORY_COPIED].left = copied_left;
    scratch_give_back(number);
}

void sample_take(void *ucontext, enum sample_engine engine)
{
    if (!agent_enter())
        return;
    take(ucontext, engine);
    agent_leave();
}
