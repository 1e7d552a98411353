/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the threads of the target from outside, a hundred times a second: what those that do not
 * run wait for, and when none runs at all. Nothing in the target is interrupted or woken by it.
 *
 * It learns of processes and threads from the records that pass by, and makes RECORD_WAIT and
 * RECORD_IDLE (and RECORD_CODE, for code objects that only ever waited). */
#ifndef SCALENE_WATCH_WATCH_H
#define SCALENE_WATCH_WATCH_H

#include "wire/ring.h"

#include <stdbool.h>
#include <stdint.h>

struct watch;

/* How waits will be learnt of, as far as can be told before there is a process to look at. */
enum control_waits watch_access(void);
struct watch_wish {
    bool has_looks;     /* false: processes and switches are followed, nobody is looked at */
    bool has_memory;    /* what processes occupy is looked at, too */
    uint32_t period_ns; /* of sampling, as wanted: bursts of samples keep to it */
};

struct watch *watch_new(const struct watch_wish *wish);
void watch_free(struct watch *watch);

/* A record of process number `process` on its way to the profile. */
void watch_see(struct watch *watch, uint32_t process, const struct record_header *record);
/* Everything is switched off or on from outside: processes get their RECORD_SWITCH. */
void watch_switch(struct watch *watch, bool is_off, int64_t now_ns);
/* All that is known up to now is said: somebody wants to see the profile. */
void watch_settle(struct watch *watch, int64_t now_ns);
/* When the next look is due, CLOCK_MONOTONIC; 0: there is nothing to look at. */
int64_t watch_due_ns(const struct watch *watch);
/* We have slept and are awake again. */
void watch_wake(struct watch *watch, int64_t now_ns);
/* Looks at everything, if it is time. */
void watch_look(struct watch *watch, int64_t now_ns);
/* A process that turned out to be hidden from us, each once: its agent must tell of waits itself.
 * False: there is none (any more). */
bool watch_blind(struct watch *watch, uint32_t *process);
/* The next record that was made. False: there is none. */
bool watch_take(struct watch *watch, uint32_t *process, const struct record_header **record);

#endif
