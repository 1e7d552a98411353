/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a JSON profile: the same keys with the numbers of some threads alone. */
#ifndef SCALENE_REPORT_NARROW_H
#define SCALENE_REPORT_NARROW_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

struct narrow_wish {
    const char *thread;  /* its name, or its number in the kernel; NULL: any */
    const char *process; /* its number; NULL: any */
};

/* Changes `profile` in place: time, samples and waits are those of the wish, memory is gone, since
 * nobody knows whose it is. False, and nothing changed, when there is no such thread. */
bool narrow_profile(json_t *profile, const struct narrow_wish *wish, struct err *e);

#endif
