/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the process, each with a timer on its own CPU clock. */
#ifndef SCALENE_AGENT_THREADS_H
#define SCALENE_AGENT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes ready for threads that begin before measuring does. Context: boot */
void threads_prepare(void);
/* Begins with every thread there is; later ones come through the interposed pthread_create.
 * Context: boot */
void threads_start(void);
/* Sends every thread to the ring, which is new. Context: signal | boot */
void threads_send(void);
/* Sends the final CPU clock of every thread: the process is about to end. Context: any thread */
void threads_end(void);
/* The thread of this number has just ticked: what its CPU clock shows without the time measuring
 * was off. Context: signal */
uint64_t threads_tick(uint32_t tid, uint64_t now_ns, uint64_t cpu_ns);
/* Calls f for every thread that is measured. Context: signal | any thread */
struct thread_clock;
void threads_each(void (*f)(void *context, uint32_t tid, struct thread_clock *clock),
                  void *context);
/* Whether there is a thread of this number. Context: signal | hook */
bool threads_has(uint32_t tid);
/* Takes the timers of all threads away. Context: boot, nobody inside */
void threads_stop(void);

/* Which thread of Python's is which of the kernel's, for those that are there before us; borrowed
 * until threads_start has run. Context: boot */
struct threads_ident {
    uint64_t ident;
    uint64_t tid;
};
void threads_name(const struct threads_ident *list, size_t n);
/* The child of a fork has one thread, the caller. Context: the child */
void threads_after_fork(void);

#endif
