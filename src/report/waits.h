/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of waits by the names they have in the JSON and on the screen: one table. */
#ifndef SCALENE_REPORT_WAITS_H
#define SCALENE_REPORT_WAITS_H

#include "analyze/profile.h"
#include "report/write.h"

#include <jansson.h>

const char *waits_name(enum wait_kind kind);
double waits_sum(const double waits_s[WAIT_KINDS]);
/* The kind with the most seconds among those with a bit in `kinds`. */
enum wait_kind waits_largest(const double waits_s[WAIT_KINDS], unsigned kinds);
#define WAITS_ALL (~0u)
/* What a process that is idle can wait for: not itself. */
#define WAITS_IDLE (~(1u << WAIT_GIL | 1u << WAIT_STARVED))

/* An object of seconds by kind, without those that are zero. */
void waits_write(struct writer *w, const double waits_s[WAIT_KINDS]);
/* The same read back; whatever is not a number is zero. */
void waits_read(double waits_s[WAIT_KINDS], const json_t *object);

#endif
