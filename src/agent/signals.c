/* SPDX-License-Identifier: Apache-2.0 */
/* Our four handlers and the interposed calls that hide them. */
#include "agent/signals.h"

#include "agent/agent.h"
#include "agent/peek.h"
#include "agent/real.h"
#include "agent/waits.h"
#include "agent/wish.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/safe.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#define SIGNAL_BYTES_USUAL 3584u /* with AVX-512, where the kernel does not say it */

enum { OURS_SEGV, OURS_BUS, OURS_TRAP, OURS_TICK, N_OURS };

static int numbers[N_OURS] = {SIGSEGV, SIGBUS, SIGTRAP, 0};
static struct wish wishes[N_OURS];
static bool is_started;
static signals_tick on_tick;
static char cookie;           /* its address marks our timers */
static uint64_t signal_bytes; /* what the kernel writes to the stack for a signal, at most */
static __thread bool tick_is_blocked;

int signals_tick_number(void)
{
    return numbers[OURS_TICK];
}

void *signals_cookie(void)
{
    return &cookie;
}

bool signals_tick_is_blocked(void)
{
    return tick_is_blocked;
}

void signals_set_tick_blocked(bool is_blocked)
{
    tick_is_blocked = is_blocked;
}

static int index_of(int number)
{
    if (is_started)
        for (int i = 0; i < N_OURS; i++)
            if (numbers[i] == number)
                return i;
    return -1;
}

/* Ends as the program would have ended without a handler: the default action of a signal that was
 * sent, or the instruction that faulted once more, now without us. */
static void die_of(int number, const siginfo_t *info)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    real.sigaction(number, &standard, NULL);
    if (info->si_code <= 0 || number == numbers[OURS_TICK])
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

/* Under our own handlers of ticks and traps nearly everything is blocked. The program's runs under
 * the mask it has asked for, which is what it finds if it leaves by longjmp. */
static void use_mask_of(const struct sigaction *wish, int number, const ucontext_t *context)
{
    uint64_t before, wanted;
    memcpy(&before, &context->uc_sigmask, sizeof before);
    memcpy(&wanted, &wish->sa_mask, sizeof wanted);
    wanted |= before | (wish->sa_flags & (int)SA_NODEFER ? 0 : (uint64_t)1 << (number - 1));
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &wanted, NULL, sizeof wanted);
}

static bool has_handler(const struct sigaction *wish)
{
    return wish->sa_handler != SIG_DFL && wish->sa_handler != SIG_IGN;
}

/* Does with a signal what the program wants done with it. */
static void hand_on(int i, siginfo_t *info, void *ucontext)
{
    struct sigaction wish = wish_read(&wishes[i]);
    bool is_sent = info->si_code <= 0 || i == OURS_TICK;
    if (!has_handler(&wish)) {
        if (wish.sa_handler == SIG_DFL || !is_sent)
            die_of(numbers[i], info);
        return;
    }
    if (wish.sa_flags & (int)SA_RESETHAND) {
        struct sigaction next = wish;
        next.sa_handler = SIG_DFL;
        wish_write(&wishes[i], &next);
    }
    if (i == OURS_TICK || i == OURS_TRAP)
        use_mask_of(&wish, numbers[i], ucontext);
    if (wish.sa_flags & SA_SIGINFO)
        wish.sa_sigaction(numbers[i], info, ucontext);
    else
        wish.sa_handler(numbers[i]);
}

static void trap_handler(int number, siginfo_t *info, void *ucontext);

/* A trap of perf that waits, for it is blocked, is delivered all the same when an instruction
 * faults, and before the fault: that is told then as if the first instruction of our handler had
 * faulted, which touches nothing but the stack. The true one faults again after the handler. */
static bool is_of_another(const siginfo_t *info, const greg_t *registers)
{
    const uint64_t page = 4096;
    uint64_t sp = (uint64_t)registers[REG_RSP], at = (uint64_t)(uintptr_t)info->si_addr;
    return info->si_code > 0 && registers[REG_RIP] == (greg_t)(uintptr_t)trap_handler &&
           at - (sp - page) > 2 * page;
}

static void fault_handler(int number, siginfo_t *info, void *ucontext)
{
    greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
    uint64_t go_on = peek_recover((uint64_t)registers[REG_RIP]);
    if (go_on && info->si_code > 0)
        registers[REG_RIP] = (greg_t)go_on;
    else if (!is_of_another(info, registers))
        hand_on(number == SIGSEGV ? OURS_SEGV : OURS_BUS, info, ucontext);
}

/* A sample takes 2 KiB of stack at most, and as much as the kernel needs for a signal should one of
 * its loads fault. On another stack of the thread's, which may be small, that must be there: the
 * kernel ends a process that comes to its end. */
static bool has_room(const ucontext_t *context)
{
    const uint64_t sample_bytes = 2560;
    uint64_t low = (uint64_t)(uintptr_t)context->uc_stack.ss_sp;
    uint64_t room = (uint64_t)(uintptr_t)__builtin_frame_address(0) - low;
    bool is_other = !(context->uc_stack.ss_flags & SS_DISABLE) && room < context->uc_stack.ss_size;
    return !is_other || room >= sample_bytes + signal_bytes;
}

static void sample(void *ucontext, enum sample_engine engine)
{
    if (has_room(ucontext)) {
        on_tick(ucontext, engine);
    } else if (agent_enter()) {
        agent_count(COUNTER_DROPPED_BUSY, 1);
        agent_leave();
    }
}

static void tick_handler(int number, siginfo_t *info, void *ucontext)
{
    (void)number;
    int saved = errno;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &cookie)
        sample(ucontext, ENGINE_THREAD_TIMER);
    else if (!tick_is_blocked)
        hand_on(OURS_TICK, info, ucontext);
    errno = saved;
}

/* What the kernel says of a perf event; older headers do not know it. */
#define TRAP_OF_PERF 6
struct perf_siginfo {
    int number, error, code, unused;
    uint64_t address, data;
    uint32_t type, flags; /* flag 1: it comes late, for the signal was blocked */
};

static bool is_our_trap(const siginfo_t *info)
{
    return info->si_code == TRAP_OF_PERF &&
           ((const struct perf_siginfo *)info)->data == PERF_COOKIE;
}

static void trap_handler(int number, siginfo_t *info, void *ucontext)
{
    (void)number;
    int saved = errno;
    if (!is_our_trap(info))
        hand_on(OURS_TRAP, info, ucontext);
    else if (!(((const struct perf_siginfo *)info)->flags & 1))
        sample(ucontext, ENGINE_PERF);
    errno = saved;
}

void signals_drop_trap(void)
{
    const uint64_t traps = (uint64_t)1 << (SIGTRAP - 1);
    struct timespec at_once = {0};
    siginfo_t info;
    int saved = errno;
    if (is_started &&
        syscall(SYS_rt_sigtimedwait, &traps, &info, &at_once, sizeof traps) == SIGTRAP &&
        !is_our_trap(&info))
        syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGTRAP, &info);
    errno = saved;
}

/* Ticks come at any instruction, system calls included, which go on after them. Traps of perf come
 * in user mode only: the program's own wish for SIGTRAP may cut calls short as it does bare. Both
 * come on another stack where the thread has one: it may be running on one that has room for no
 * handler, as Go's threads do. The program's handlers must not interrupt a sample; faults must. */
static void take_for_samples(int i, const struct sigaction *wish, struct sigaction *ours)
{
    ours->sa_sigaction = i == OURS_TICK ? tick_handler : trap_handler;
    if (i == OURS_TICK || !has_handler(wish))
        ours->sa_flags |= SA_RESTART;
    if (!has_handler(wish))
        ours->sa_flags |= SA_ONSTACK;
    sigfillset(&ours->sa_mask);
    sigdelset(&ours->sa_mask, SIGSEGV);
    sigdelset(&ours->sa_mask, SIGBUS);
}

/* Faults of ours use another stack where there is one, for little may be left of the thread's own;
 * but what the program handles itself it handles where it wants to. */
static void take_for_faults(const struct sigaction *wish, struct sigaction *ours)
{
    ours->sa_sigaction = fault_handler;
    if (!has_handler(wish))
        ours->sa_flags |= SA_ONSTACK;
}

/* Our handler under the program's flags and mask, so that the kernel does for it what was asked.
 * SA_RESETHAND would remove us at the first fault: hand_on does that part. */
static int install(int i, const struct sigaction *wish)
{
    struct sigaction ours = *wish;
    ours.sa_flags = (wish->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
    if (i == OURS_TICK || i == OURS_TRAP)
        take_for_samples(i, wish, &ours);
    else
        take_for_faults(wish, &ours);
    return real.sigaction(numbers[i], &ours, NULL);
}

/* The highest real-time signal that nobody handles or ignores. */
static int free_signal(void)
{
    for (int number = SIGRTMAX - 2; number > SIGRTMIN; number--) {
        struct sigaction now;
        if (real.sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == SIG_DFL)
            return number;
    }
    return 0;
}

bool signals_start(signals_tick tick)
{
    sigset_t now;
    numbers[OURS_TICK] = free_signal();
    if (!numbers[OURS_TICK])
        return false;
    on_tick = tick;
    signal_bytes = getauxval(AT_MINSIGSTKSZ);
    if (!signal_bytes)
        signal_bytes = SIGNAL_BYTES_USUAL;
    for (int i = 0; i < N_OURS; i++) {
        struct sigaction before;
        if (real.sigaction(numbers[i], NULL, &before) != 0)
            return false;
        wish_write(&wishes[i], &before);
        install(i, &before);
    }
    real.pthread_sigmask(SIG_SETMASK, NULL, &now);
    tick_is_blocked = sigismember(&now, numbers[OURS_TICK]) == 1;
    sigemptyset(&now);
    sigaddset(&now, numbers[OURS_TICK]);
    real.pthread_sigmask(SIG_UNBLOCK, &now, NULL);
    is_started = true;
    return true;
}

/* ---- the interposed calls ---- */

#define RESTORER 0x04000000 /* a flag the libc sets itself, and lets the program see */

/* What one reads back is not to the bit what one has asked for. */
static struct sigaction as_kept(const struct sigaction *action)
{
    struct sigaction kept = *action;
    kept.sa_flags |= RESTORER;
    sigdelset(&kept.sa_mask, SIGKILL);
    sigdelset(&kept.sa_mask, SIGSTOP);
    return kept;
}

AGENT_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    int i = index_of(number);
    if (i < 0)
        return real_ready()->sigaction(number, action, old);
    struct sigaction before = wish_read(&wishes[i]);
    if (action) {
        struct sigaction wish = as_kept(action);
        wish_write(&wishes[i], &wish);
        install(i, &wish);
    }
    if (old)
        *old = before;
    return 0;
}

/* signal() of the BSD and of the System V kind differ in their flags only. */
static void (*signal_with(int number, void (*handler)(int), int flags))(int)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    sigemptyset(&action.sa_mask);
    if (!(flags & (int)SA_RESETHAND))
        sigaddset(&action.sa_mask, number);
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

AGENT_EXPORT void (*signal(int number, void (*handler)(int)))(int)
{
    return index_of(number) < 0 ? real_ready()->signal(number, handler)
                                : signal_with(number, handler, SA_RESTART);
}

AGENT_EXPORT void (*sysv_signal(int number, void (*handler)(int)))(int);
AGENT_EXPORT void (*sysv_signal(int number, void (*handler)(int)))(int)
{
    return index_of(number) < 0 ? real_ready()->sysv_signal(number, handler)
                                : signal_with(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

/* Keeps the tick out of the masks the kernel sees, and in those the program reads. */
static int mask_without_tick(int (*change)(int, const sigset_t *, sigset_t *), int how,
                             const sigset_t *set, sigset_t *old)
{
    sigset_t without;
    bool was_blocked = tick_is_blocked;
    if (!is_started)
        return change(how, set, old);
    if (set) {
        without = *set;
        sigdelset(&without, numbers[OURS_TICK]);
    }
    int rc = change(how, set ? &without : NULL, old);
    if (rc == 0 && set) {
        bool has_tick = sigismember(set, numbers[OURS_TICK]) == 1;
        tick_is_blocked = how == SIG_SETMASK ? has_tick : has_tick ? how == SIG_BLOCK : was_blocked;
    }
    if (rc == 0 && old && was_blocked)
        sigaddset(old, numbers[OURS_TICK]);
    return rc;
}

AGENT_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return mask_without_tick(real_ready()->pthread_sigmask, how, set, old);
}

AGENT_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return mask_without_tick(real_ready()->sigprocmask, how, set, old);
}

/* Who takes signals himself is not given ours. */
static sigset_t set_without_ours(const sigset_t *set)
{
    sigset_t without = *set;
    if (is_started)
        sigdelset(&without, numbers[OURS_TICK]);
    if (sigismember(set, SIGTRAP) == 1)
        signals_drop_trap();
    return without;
}

AGENT_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    sigset_t without = set_without_ours(set);
    if (!waits_are_told())
        return real_ready()->sigwait(&without, number);
    struct waits_call call = waits_begin(WAIT_SLEEP);
    int result = real_ready()->sigwait(&without, number);
    waits_end(&call);
    return result;
}

AGENT_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    sigset_t without = set_without_ours(set);
    if (!waits_are_told())
        return real_ready()->sigwaitinfo(&without, info);
    struct waits_call call = waits_begin(WAIT_SLEEP);
    int result = real_ready()->sigwaitinfo(&without, info);
    waits_end(&call);
    return result;
}

AGENT_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                              const struct timespec *restrict timeout)
{
    sigset_t without = set_without_ours(set);
    if (!waits_are_told())
        return real_ready()->sigtimedwait(&without, info, timeout);
    struct waits_call call = waits_begin(WAIT_SLEEP);
    int result = real_ready()->sigtimedwait(&without, info, timeout);
    waits_end(&call);
    return result;
}

AGENT_EXPORT int signalfd(int fd, const sigset_t *set, int flags);
AGENT_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    sigset_t without = set_without_ours(set);
    return real_ready()->signalfd(fd, &without, flags);
}
