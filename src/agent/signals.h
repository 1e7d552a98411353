/* SPDX-License-Identifier: Apache-2.0 */
/* The signals the agent uses, shared with the program so that it does not notice.
 *
 * Four signals have a handler of ours: SIGSEGV and SIGBUS, for loads that may fault (peek.c), the
 * tick, a real-time signal that only our own timers send, and SIGTRAP, which the collector's perf
 * events send. The program's own wishes for them
 * are kept apart: sigaction and its kin are interposed, so that it reads back what it set, and
 * whatever is not meant for us is handed on as if we were not there. */
#ifndef SCALENE_AGENT_SIGNALS_H
#define SCALENE_AGENT_SIGNALS_H

#include "wire/record.h"

#include <signal.h>
#include <stdbool.h>

/* Called in the interrupted thread for each tick of our timers and each of our perf events, errno
 * saved. */
typedef void (*signals_tick)(void *ucontext, enum sample_engine engine);

/* Installs the handlers. False: there is no free signal. Context: boot */
bool signals_start(signals_tick tick);
/* The tick's number, for timers; their sigev_value must be signals_cookie(). */
int signals_tick_number(void);
void *signals_cookie(void);

/* Whether this thread believes it has blocked the tick, which a new thread inherits. */
bool signals_tick_is_blocked(void);
void signals_set_tick_blocked(bool is_blocked);

/* A trap of ours that waits, for this thread has blocked it since, outlives an exec, and kills what
 * does not know of it. Takes it away; one of the program's own stays. Context: hook */
void signals_drop_trap(void);

#endif
