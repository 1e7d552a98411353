/* SPDX-License-Identifier: Apache-2.0 */
/* This process and its ring: made when first needed, made anew in a forked child. */
#ifndef SCALENE_AGENT_PROCESS_H
#define SCALENE_AGENT_PROCESS_H

#include "wire/record.h"

#include <stdbool.h>
#include <sys/types.h>

/* What boot knows of the process and its interpreter, for the records at the head of a ring.
 * Constant after boot: a forked child sends the same. */
struct process_facts {
    const char *folder; /* of control and rings */
    struct record_interpreter interpreter;
    char version[512], base_prefix[1024], prefix[1024]; /* UTF-8 */
    char cwd[4096], executable[4096];
    char arguments[16384]; /* each ended by a zero byte */
    uint32_t n_arguments_bytes;
    uint32_t n_cpus;
};
extern struct process_facts process_facts;

/* True when there is a ring to write to; makes it if this process has none yet. Context: signal */
bool process_ring_ready(void);
/* This process is about to become `user` (-1: it stays who it is): makes a place where that user's
 * children can make their rings. Context: any thread */
void process_admit_user(uid_t user);
/* The ring is given up; the next one will be of another run. Context: boot, nobody inside */
void process_begin_anew(void);
/* In the child of a fork. Context: the child, one thread */
void process_after_fork(void);

#endif
