/* SPDX-License-Identifier: Apache-2.0 */
/* Our four handlers and the interposed calls that hide them.
 *
 * Synchronization: `wishes` is written by the interposed sigaction, which a program calls from any
 * thread, and read by handlers. A reader that meets a half-written wish would call a wrong mix of
 * handler and flags; the sequence number makes it read again. */
#include "agent/signals.h"

#include "agent/agent.h"
#include "agent/peek.h"
#include "agent/real.h"
#include "agent/waits.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/safe.h"

enum { OURS_SEGV, OURS_BUS, OURS_TRAP, OURS_TICK, N_OURS };

/* What the program wants done with a signal that is ours. */
struct wish {
    _Atomic uint32_t sequence; /* odd: being written */
    struct sigaction action;
};

static int numbers[N_OURS] = {SIGSEGV, SIGBUS, SIGTRAP, 0};
static struct wish wishes[N_OURS];
static bool is_started;
static signals_tick on_tick;
static char cookie; /* its address marks our timers */
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

static struct sigaction wish_read(int i)
{
    struct sigaction action;
    uint32_t before;
    do {
        before = atomic_load_explicit(&wishes[i].sequence, memory_order_acquire);
        action = wishes[i].action;
        atomic_thread_fence(memory_order_acquire);
    } while ((before & 1) ||
             before != atomic_load_explicit(&wishes[i].sequence, memory_order_relaxed));
    return action;
}

static void wish_write(int i, const struct sigaction *action)
{
    atomic_fetch_add_explicit(&wishes[i].sequence, 1, memory_order_acq_rel);
    wishes[i].action = *action;
    atomic_fetch_add_explicit(&wishes[i].sequence, 1, memory_order_release);
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

/* Does with a signal what the program wants done with it. */
static void hand_on(int i, siginfo_t *info, void *ucontext)
{
    struct sigaction wish = wish_read(i);
    bool is_sent = info->si_code <= 0 || i == OURS_TICK;
    if (wish.sa_flags & (int)SA_RESETHAND)
        wish_write(i, &(struct sigaction){.sa_handler = SIG_DFL});
    if (wish.sa_flags & SA_SIGINFO)
        wish.sa_sigaction(numbers[i], info, ucontext);
    else if (wish.sa_handler == SIG_DFL || (wish.sa_handler == SIG_IGN && !is_sent))
        die_of(numbers[i], info);
    else if (wish.sa_handler != SIG_IGN)
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

static void tick_handler(int number, siginfo_t *info, void *ucontext)
{
    (void)number;
    int saved = errno;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &cookie)
        on_tick(ucontext, ENGINE_THREAD_TIMER);
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

static void trap_handler(int number, siginfo_t *info, void *ucontext)
{
    (void)number;
    int saved = errno;
    const struct perf_siginfo *perf = (const void *)info;
    if (info->si_code != TRAP_OF_PERF || perf->data != PERF_COOKIE)
        hand_on(OURS_TRAP, info, ucontext);
    else if (!(perf->flags & 1))
        on_tick(ucontext, ENGINE_PERF);
    errno = saved;
}

/* Our handler under the program's flags and mask, so that the kernel does for it what was asked.
 * SA_RESETHAND would remove us at the first fault: hand_on does that part. */
static int install(int i, const struct sigaction *wish)
{
    struct sigaction ours = *wish;
    ours.sa_flags = (wish->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
    if (i == OURS_TICK || i == OURS_TRAP) {
        ours.sa_sigaction = i == OURS_TICK ? tick_handler : trap_handler;
        ours.sa_flags |= SA_RESTART;
        /* The program's handlers must not interrupt a sample; faults must. */
        sigfillset(&ours.sa_mask);
        sigdelset(&ours.sa_mask, SIGSEGV);
        sigdelset(&ours.sa_mask, SIGBUS);
    } else {
        ours.sa_sigaction = fault_handler;
        ours.sa_flags |= SA_ONSTACK;
    }
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
    for (int i = 0; i < N_OURS; i++) {
        struct sigaction before;
        if (real.sigaction(numbers[i], NULL, &before) != 0)
            return false;
        wish_write(i, &before);
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

AGENT_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    int i = index_of(number);
    if (i < 0)
        return real_ready()->sigaction(number, action, old);
    struct sigaction before = wish_read(i);
    if (action) {
        struct sigaction wish = *action;
        wish_write(i, &wish);
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

static sigset_t set_without_tick(const sigset_t *set)
{
    sigset_t without = *set;
    if (is_started)
        sigdelset(&without, numbers[OURS_TICK]);
    return without;
}

AGENT_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    sigset_t without = set_without_tick(set);
    if (!waits_are_told())
        return real_ready()->sigwait(&without, number);
    struct waits_call call = waits_begin(WAIT_SLEEP);
    int result = real_ready()->sigwait(&without, number);
    waits_end(&call);
    return result;
}

AGENT_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    sigset_t without = set_without_tick(set);
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
    sigset_t without = set_without_tick(set);
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
    sigset_t without = set_without_tick(set);
    return real_ready()->signalfd(fd, &without, flags);
}
