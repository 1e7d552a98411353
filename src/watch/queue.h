/* SPDX-License-Identifier: Apache-2.0 */
/* Records made outside the target, on their way to the profile. */
#ifndef SCALENE_WATCH_QUEUE_H
#define SCALENE_WATCH_QUEUE_H

#include "base/vec.h"
#include "wire/record.h"

#include <stdbool.h>

struct queue {
    vec_of(uint64_t) words; /* a word for the process, then a record, again and again */
    size_t at;              /* the next one to be taken */
};

/* Room for a record of `size` bytes (a multiple of 8), zeroed, its header filled in. Good until the
 * next call. */
void *queue_push(struct queue *queue, uint32_t process, enum record_kind kind, uint32_t size);
/* The oldest record, good until the next queue_push; false: there is none. */
bool queue_take(struct queue *queue, uint32_t *process, const struct record_header **record);
void queue_fini(struct queue *queue);

#endif
