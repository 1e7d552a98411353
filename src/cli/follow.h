/* SPDX-License-Identifier: Apache-2.0 */
/* A run without a program of its own: a process that runs already is measured. */
#ifndef SCALENE_CLI_FOLLOW_H
#define SCALENE_CLI_FOLLOW_H

#include "cli/make.h"

#include <sys/types.h>

struct follow_plan {
    struct made *made;    /* owned by follow_process */
    const char *path;     /* of the profile, if the program ends without asking for it */
    const char *end_path; /* if it asks; NULL: the same */
};

/* Returns the exit status; in two processes, of which the first has nothing more to do. */
int follow_process(pid_t pid, const struct follow_plan *plan, const struct collect_launch *launch);

#endif
