/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the program as our child, with the agent in its environment and otherwise exactly what we
 * were started with. */
#ifndef SCALENE_COLLECT_LAUNCH_H
#define SCALENE_COLLECT_LAUNCH_H

#include "base/err.h"
#include "collect/signals.h"

#include <sys/types.h>

/* `preload` and `folder` go into the environment of the agent; both NULL: no agent. The error of an
 * exec that fails comes back from the child, so that true means the program has begun. */
bool launch(pid_t *pid, const char *const *argv, const char *preload, const char *folder,
            const struct signals *signals, struct err *e);

#endif
