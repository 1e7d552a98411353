/* SPDX-License-Identifier: Apache-2.0 */
/* Signals between the terminal, us and the program: every one that is meant for the program gets
 * there, once, and stopping and continuing look to the shell as if the program were its child. */
#ifndef SCALENE_COLLECT_SIGNALS_H
#define SCALENE_COLLECT_SIGNALS_H

#include "base/err.h"
#include "collect/witness.h"

#include <signal.h>
#include <sys/types.h>

struct signals {
    struct witness witness;
    int fd;                           /* signalfd on which all signals are heard */
    sigset_t inherited_mask;          /* as we were started with */
    struct sigaction inherited_child; /* of SIGCHLD, for a parent may have left it ignored */
};

/* From here on all signals wait for signals_take. */
bool signals_open(struct signals *signals, struct err *e);
/* Gives back mask and dispositions; what is still pending for us is dropped. */
void signals_close(struct signals *signals);
/* The same for a new child between fork and exec. Context: between fork and exec */
void signals_inherit(const struct signals *signals);

/* Takes what has come and forwards what is the program's; `pid` 0: there is nobody to forward to.
 */
void signals_take(struct signals *signals, pid_t pid);
/* Stops us by the signal that stopped the program; comes back when one of us is continued, and
 * then both are. */
void signals_stop_with(struct signals *signals, pid_t pid, int signal);

#endif
