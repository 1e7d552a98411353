/* SPDX-License-Identifier: Apache-2.0 */
/* The names of threads: that of Python's Thread object where there is one, else the kernel's; and
 * the function it was started with. */
#ifndef SCALENE_AGENT_NAMES_H
#define SCALENE_AGENT_NAMES_H

#include "wire/record.h"

#include <stdbool.h>

#define NAMES_BYTES 64u /* longer names are cut */

struct thread_name {
    struct record_string text; /* width 0: not known */
    bool is_python;
    uint64_t entry; /* code object of the function it was started with; 0: not known */
    uint8_t chars[NAMES_BYTES];
};

/* Finds what is needed of the interpreter. Context: boot */
void names_prepare(void);
/* The name of the Thread that is about to be started with this argument of pthread_create: only if
 * that is Python's doing. Context: any thread, in pthread_create */
void names_find(struct thread_name *name, const void *argument);
/* A name as the libc knows it. Context: any thread */
void names_set(struct thread_name *name, const char *text);
/* Tells the ring. Context: signal | any thread */
void names_send(const struct thread_name *name, uint32_t tid);

#endif
