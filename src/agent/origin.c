/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of pools (OpenBLAS, OpenMP, Rust's) are created once, often by an import, and work for
 * whoever calls the library later. That is most often their creator, which then is in native code,
 * at work itself or waiting for them, and has given up the GIL: so long as it has, its Python
 * stack stands still and can be read from here. Of a creator that runs Python, sleeps or waits for
 * input nothing is concluded: then the thread works for the line that created it. */
#include "agent/origin.h"

#include "agent/agent.h"
#include "agent/control.h"
#include "agent/countdown.h"
#include "agent/file.h"
#include "agent/frames.h"
#include "agent/peek.h"
#include "agent/process.h"
#include "agent/stacks.h"
#include "agent/threads.h"
#include "frame/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

/* So long an answer holds at most, and so long without a look whether the creator went on: to ask
 * the kernel takes longer than to allocate. */
#define ANSWER_NS 4000000u
#define BLIND_NS  100000u

static __thread struct origin origin;
static __thread struct {
    uint32_t stack;
    uint64_t until_ns, looked_ns;
    uint64_t place; /* of the creator when it was given */
} answer;

/* ---- at the creation ---- */

/* The stack as the records of blocks have it, and as they get it. */
static uint32_t stack_here(void)
{
    uint32_t stack = 0;
    if (countdown_thread.is_busy || !agent_enter())
        return 0;
    uint64_t copied_left = countdown_thread.domains[MEMORY_COPIED].left;
    countdown_thread.is_busy = true;
    if (!control_is_off() && process_ring_ready() && !stacks_id(&stack))
        stack = 0;
    countdown_thread.domains[MEMORY_COPIED].left = copied_left;
    countdown_thread.is_busy = false;
    agent_leave();
    return stack;
}

struct origin origin_here(void)
{
    int saved = errno;
    if (!countdown_is_on() || !frames_python.this_thread_state)
        return (struct origin){0};
    void *state = frames_python.this_thread_state();
    if (!state)
        return origin;
    struct origin o = {.stack = stack_here(),
                       .generation = agent.generation,
                       .creator_tid = (uint32_t)syscall(SYS_gettid),
                       .creator_state = (uint64_t)(uintptr_t)state,
                       .creator_ident = (uint64_t)pthread_self()};
    errno = saved;
    return o;
}

void origin_begin(const struct origin *o)
{
    origin = *o;
}

/* ---- at a sample ---- */

static char *append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

/* What the kernel says the thread is doing; empty: it does not say. */
static void read_call(uint32_t tid, char *text, size_t room)
{
    char path[64], digits[12], *to = path;
    unsigned at = sizeof digits;
    digits[--at] = 0;
    for (; tid; tid /= 10)
        digits[--at] = (char)('0' + tid % 10);
    to = append(append(append(to, "/proc/self/task/"), digits + at), "/syscall");
    *to = 0;
    int fd = file_open(path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? 0 : file_read(fd, text, room - 1);
    text[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close(fd);
}

/* It runs, has memory mapped, or waits for another thread. The kernel says "running", or the number
 * of the call it is blocked in, -1 where that is a page fault. */
static bool is_at_work(uint32_t tid)
{
    static const unsigned calls[] = {SYS_futex, SYS_sched_yield, SYS_mmap,   SYS_munmap,
                                     SYS_brk,   SYS_mprotect,    SYS_mremap, SYS_madvise};
    char text[32];
    unsigned number = 0;
    read_call(tid, text, sizeof text);
    if (text[0] == 'r' || text[0] == '-')
        return true;
    for (const char *at = text; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (unsigned)(*at - '0');
    for (size_t i = 0; text[0] && i < sizeof calls / sizeof *calls; i++)
        if (number == calls[i])
            return true;
    return false;
}

/* The thread state is still that of the creator, and runs no Python. */
static bool has_let_go(const struct origin *o)
{
    const struct py_layout *layout = &frames_python.layout;
    uint64_t ident = peek_word(o->creator_state + (uint64_t)layout->tstate_thread_id);
    uint32_t is_locked;
    if (!layout->gil || ident != o->creator_ident || !threads_has(o->creator_tid))
        return false;
    return peek_u32(layout->gil + GIL_LOCKED, &is_locked) &&
           (!is_locked || peek_word(layout->gil + GIL_HOLDER) != o->creator_state);
}

static bool find(uint32_t *stack)
{
    uint32_t launched = 0;
    *stack = origin.stack;
    if (!origin.creator_state || !has_let_go(&origin) || !is_at_work(origin.creator_tid))
        return true;
    if (!stacks_id_of(origin.creator_state, &launched))
        return false;
    if (launched && has_let_go(&origin))
        *stack = launched;
    return true;
}

/* Where the creator is: another value when it has gone on to another line. */
static uint64_t place_of(const struct origin *o)
{
    struct walk_frame frame = {0};
    struct walk walk = walk_start(&peek_memory, &frames_python.layout, o->creator_state);
    if (!o->creator_state || !has_let_go(o) || !walk_next(&walk, &frame))
        return 0;
    return frame.code + (uint32_t)frame.instr;
}

/* False: the ring is full. */
static bool look(uint64_t now_ns)
{
    uint64_t place = place_of(&origin);
    answer.looked_ns = now_ns;
    if (now_ns < answer.until_ns && place == answer.place)
        return true;
    answer.until_ns = now_ns + ANSWER_NS;
    answer.place = place;
    return find(&answer.stack);
}

bool origin_stack(uint32_t *stack)
{
    uint64_t now_ns = countdown_thread.sampled_ns;
    *stack = 0;
    if (origin.generation != agent.generation)
        return true; /* of another run */
    if (now_ns - answer.looked_ns >= BLIND_NS && !look(now_ns))
        return false;
    *stack = answer.stack;
    return true;
}
