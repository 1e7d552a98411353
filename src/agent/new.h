/* SPDX-License-Identifier: Apache-2.0 */
/* C++'s new and delete, where they are an allocator's own and do not come to malloc. */
#ifndef SCALENE_AGENT_NEW_H
#define SCALENE_AGENT_NEW_H

#include <stddef.h>

#define NEW_HOOKS_MAX 20

struct new_hook {
    const char *name;   /* of the symbol */
    void *ours, **real; /* ours calls *real, which must be set before */
};
extern const struct new_hook new_hooks[];
extern const size_t new_n_hooks;

#endif
