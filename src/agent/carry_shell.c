/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of system and popen, which start their shell inside libc with `environ` as it stands: our
 * variables are in it while one of them runs, and out again when the last is done.
 *
 * Other threads may read or change the environment meanwhile (Python lets them run during
 * os.system), so:
 * - not by setenv, which may free the array under a thread that is in getenv: ours is published
 *   whole, by exchanging one pointer, and is never freed;
 * - not by putting the old pointer back, which would undo or free what another thread has set: our
 *   entries are taken out of whatever array stands there then. They come last, so for readers that
 *   is the store of one NULL, and the array has room for them the next time.
 * - not by calls of our own in place of system and popen: their signals, cancellation and streams
 *   are the libc's business.
 * The program may see our variables in C's environ while such a call runs; Python's os.environ is
 * a copy and never shows them.
 *
 * This file breaks the rule against locks. Neither function may be called from a signal handler or
 * in a child of vfork, and the wait is bounded: who does not get in lets its child go unmeasured.
 */
#include "agent/carry.h"
#include "agent/waits.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "agent/safe.h"

#define HOOK __attribute__((visibility("default")))

/* The work under the lock takes microseconds. */
#define LOCK_TRIES 10000
/* Each means that another thread exchanged `environ` in the same microsecond. */
#define PUBLISH_TRIES 8

static struct {
    _Atomic pid_t holder; /* process whose thread is at work here, 0: none */
    /* The rest belongs to the holder. */
    pid_t pid;             /* whose users are counted: a fork copies those of its parent */
    unsigned users;        /* calls under way */
    char **slots;          /* the array, owned and never freed */
    size_t slots_bytes;    /* its room */
    char *merged;          /* the LD_PRELOAD entry that stands in the program's place, or NULL */
    char *program_preload; /* the entry it stands for, borrowed */
} shell;

/* A holder of another process is left over from a fork at the wrong moment. */
static bool lock(void)
{
    pid_t self = getpid();
    for (int i = 0; i < LOCK_TRIES; i++) {
        pid_t holder = atomic_load_explicit(&shell.holder, memory_order_relaxed);
        /* Acquire pairs with the release in unlock. */
        if (holder != self &&
            atomic_compare_exchange_strong_explicit(&shell.holder, &holder, self,
                                                    memory_order_acquire, memory_order_relaxed))
            return true;
        sched_yield();
    }
    return false;
}

static void unlock(void)
{
    /* Release pairs with the acquire in lock. */
    atomic_store_explicit(&shell.holder, 0, memory_order_release);
}

/* An outgrown array is left where it is, for others may still read it; twice what is needed makes
 * that rare. */
static bool make_room(size_t bytes)
{
    if (bytes <= shell.slots_bytes)
        return true;
    char **slots = carry_map(2 * bytes);
    if (!slots)
        return false;
    shell.slots = slots;
    shell.slots_bytes = 2 * bytes;
    return true;
}

/* Puts our variables into `environ`. The compare and exchange fails when another thread has put a
 * new array there since we read it. One race is left: a variable that another thread overwrites
 * while its array is being copied may keep the old value. It is copied once, not at every call. */
static void publish(void)
{
    for (int i = 0; i < PUBLISH_TRIES; i++) {
        char **before = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
        struct carry_plan plan;
        carry_measure(&plan, before);
        if (plan.room_bytes == 0 || !make_room(plan.room_bytes))
            return;
        bool is_merged = plan.adds_preload && plan.preload;
        shell.program_preload = is_merged ? before[plan.preload_at] : NULL;
        char **after = carry_fill(&plan, shell.slots);
        shell.merged = is_merged ? after[plan.preload_at] : NULL;
        if (__atomic_compare_exchange_n(&environ, &before, after, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
}

/* Takes our variables out of `environ`, whose array may be libc's by now. */
static void withdraw(void)
{
    char **slots = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
    size_t n_kept = 0;
    for (size_t i = 0; slots && slots[i]; i++) {
        if (carry_is_ours(slots[i]))
            continue;
        char *entry = slots[i] == shell.merged ? shell.program_preload : slots[i];
        if (slots[n_kept] != entry)
            __atomic_store_n(&slots[n_kept], entry, __ATOMIC_RELEASE);
        n_kept++;
    }
    if (slots && slots[n_kept])
        __atomic_store_n(&slots[n_kept], NULL, __ATOMIC_RELEASE);
}

/* True: shell_leave must follow. */
static bool shell_enter(void)
{
    if (!carry_folder() || !lock())
        return false;
    if (shell.pid != getpid()) {
        shell.pid = getpid();
        shell.users = 0;
    }
    if (shell.users++ == 0)
        publish();
    unlock();
    return true;
}

static void shell_leave(void)
{
    if (!lock())
        return;
    if (--shell.users == 0)
        withdraw();
    unlock();
}

HOOK int system(const char *command)
{
    int (*real)(const char *) = carry_real(CARRY_SYSTEM);
    bool is_in = shell_enter();
    struct waits_call call;
    bool is_told = waits_are_told();
    if (is_told)
        call = waits_begin(WAIT_CHILD);
    int result = real(command);
    if (is_told)
        waits_end(&call);
    if (is_in)
        shell_leave();
    return result;
}

HOOK FILE *popen(const char *command, const char *type)
{
    FILE *(*real)(const char *, const char *) = carry_real(CARRY_POPEN);
    bool is_in = shell_enter();
    FILE *result = real(command, type);
    if (is_in)
        shell_leave();
    return result;
}
