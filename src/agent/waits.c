/* SPDX-License-Identifier: Apache-2.0 */
/* Writes RECORD_WAIT for calls that blocked. A wait is told when it is over; that one begins is
 * told as well, now and then, so that a thread that never comes back is known to wait, and where.
 * The thread's frames cannot change while it is in the call: before or after, they are the same. */
#include "agent/waits.h"

#include "agent/clock.h"
#include "agent/control.h"
#include "agent/countdown.h"
#include "agent/frames.h"
#include "agent/peek.h"
#include "agent/process.h"
#include "agent/scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/safe.h"

#define LEAST_NS 100000u /* shorter waits are added up until they are worth a record */
#define BEGINS_NS                                                                                  \
    5000000u             /* how often a thread tells that a wait begins, at most in the long run */
#define BEGINS 64u       /* how many it may tell at once */
#define GIL_NS 50000000u /* who waits for the GIL asks every 5 ms: those waits are told as one */

/* Of this thread: waited but not told yet; from when on it may tell that a wait begins. */
static __thread uint64_t pending_ns, begins_due_ns;

static void write_wait(const struct frames *frames, const struct waits_call *call, uint64_t time_ns,
                       uint64_t wait_ns, uint16_t flags)
{
    uint32_t frames_bytes = frames->n * (uint32_t)sizeof *frames->frames;
    uint32_t size = (uint32_t)sizeof(struct record_wait) + frames_bytes;
    struct record_wait *record = ring_reserve(&agent.ring, size);
    if (!record) {
        agent_count(COUNTER_DROPPED_RING_FULL, 1);
        return;
    }
    record->time_ns = time_ns;
    record->wait_ns = wait_ns;
    record->holder_ident = call->holder_ident;
    record->tid = (uint32_t)syscall(SYS_gettid);
    record->n_looks = 1;
    record->n_frames = (uint16_t)frames->n;
    record->kind = (uint8_t)call->kind;
    memcpy(record + 1, frames->frames, frames_bytes);
    ring_finish(record, RECORD_WAIT, flags | WAIT_IS_INSIDE, size);
}

/* A child of vfork borrows its parent's memory, and this thread's with it: nothing is told there.
 */
static bool may_tell(void)
{
    return atomic_load_explicit(&agent.is_on, memory_order_acquire) &&
           agent.pid == (uint32_t)getpid() && !control_is_off() && process_ring_ready();
}

static void tell(const struct waits_call *call, uint64_t time_ns, uint64_t wait_ns, uint16_t flags)
{
    unsigned number;
    if (!may_tell())
        return;
    struct frames *frames = scratch_take(&number);
    if (!frames) {
        agent_count(COUNTER_DROPPED_BUSY, 1);
        return;
    }
    /* What we copy ourselves is not the program's. */
    uint64_t copied_left = countdown_thread.domains[MEMORY_COPIED].left;
    bool was_busy = countdown_thread.is_busy;
    countdown_thread.is_busy = true;
    uint64_t faults = peek_let_faults_in();
    if (frames_take(frames))
        write_wait(frames, call, time_ns, wait_ns, flags);
    peek_keep_faults_out(faults);
    countdown_thread.is_busy = was_busy;
    countdown_thread.domains[MEMORY_COPIED].left = copied_left;
    scratch_give_back(number);
}

static bool may_begin(uint64_t now_ns)
{
    uint64_t oldest_ns = now_ns - BEGINS * (uint64_t)BEGINS_NS;
    if (begins_due_ns < oldest_ns)
        begins_due_ns = oldest_ns;
    if (begins_due_ns > now_ns)
        return false;
    begins_due_ns += BEGINS_NS;
    return true;
}

struct waits_call waits_begin(enum wait_kind kind)
{
    struct waits_call call = {.start_ns = clock_now_ns(), .kind = kind};
    if (may_begin(call.start_ns)) {
        int saved = errno;
        tell(&call, call.start_ns, 0, WAIT_BEGINS);
        errno = saved;
    }
    return call;
}

static void end(const struct waits_call *call, uint64_t least_ns)
{
    uint64_t now_ns = clock_now_ns();
    pending_ns += now_ns - call->start_ns;
    if (pending_ns < least_ns)
        return;
    int saved = errno;
    tell(call, now_ns, pending_ns, 0);
    pending_ns = 0;
    errno = saved;
}

void waits_end(const struct waits_call *call)
{
    end(call, LEAST_NS);
}

/* ---- conditions: locks, and the GIL ---- */

static uint64_t gil_holder(uint64_t gil)
{
    uint64_t holder = peek_word(gil + GIL_HOLDER);
    if ((uint32_t)peek_word(gil + GIL_LOCKED) != 1 || !holder)
        return 0;
    return peek_word(holder + (uint64_t)frames_python.layout.tstate_thread_id);
}

struct waits_call waits_begin_condition(const void *condition)
{
    uint64_t gil = frames_python.layout.gil;
    if (!gil || (uint64_t)(uintptr_t)condition - gil >= GIL_BYTES)
        return waits_begin(WAIT_LOCK);
    struct waits_call call = {.start_ns = clock_now_ns(), .kind = WAIT_GIL};
    uint64_t faults = peek_let_faults_in();
    call.holder_ident = gil_holder(gil);
    peek_keep_faults_out(faults);
    return call;
}

void waits_end_condition(const struct waits_call *call, bool is_late)
{
    end(call, call->kind == WAIT_GIL && is_late ? GIL_NS : LEAST_NS);
}

/* ---- whether it is wanted ---- */

_Atomic uint32_t waits_own_wish;

void waits_check_access(void)
{
    int saved = errno;
    uint64_t here = 0, there = 0;
    struct iovec to = {&here, sizeof here}, from = {&there, sizeof there};
    uint32_t access = agent.control ? agent.control->waits : WAITS_NOT_WANTED;
    bool is_hidden = access == WAITS_INSIDE;
    /* A filter on system calls holds for the collector, too, who started us. */
    is_hidden |= access != WAITS_NOT_WANTED && process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0;
    is_hidden |= access == WAITS_OUTSIDE_IF_DUMPABLE && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1;
    if (is_hidden)
        atomic_store_explicit(agent_waits(), 1, memory_order_relaxed);
    errno = saved;
}

void waits_ring_opens(struct ring_header *header)
{
    uint32_t wish = atomic_load_explicit(&waits_own_wish, memory_order_relaxed);
    atomic_store_explicit(&header->wants_waits, wish, memory_order_relaxed);
    atomic_store_explicit(&agent.waits, &header->wants_waits, memory_order_relaxed);
}

void waits_ring_closes(void)
{
    uint32_t wish = atomic_load_explicit(agent_waits(), memory_order_relaxed);
    atomic_store_explicit(&waits_own_wish, wish, memory_order_relaxed);
    atomic_store_explicit(&agent.waits, &waits_own_wish, memory_order_relaxed);
}
