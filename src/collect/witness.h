/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a signal that was sent to us alone from one that was sent to everybody: a small process of
 * ours in the same group, which hears the latter, too.
 *
 * `kill %1` and service managers send a signal to the whole group or to each process of it. The
 * program then has it already, and forwarding it would deliver it twice. The signal itself does not
 * tell; that a bystander got it from the same sender at the same time does. */
#ifndef SCALENE_COLLECT_WITNESS_H
#define SCALENE_COLLECT_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct witness {
    pid_t pid; /* 0: none could be started; then nothing is ever witnessed */
    int fd;    /* what it heard, one struct witness_heard after the other */
};

/* All signals must be blocked already: the witness inherits that. */
void witness_open(struct witness *witness);
void witness_close(struct witness *witness);
/* Whether the witness has heard this signal of this sender, too. Waits a moment for it. */
bool witness_heard(struct witness *witness, uint32_t signal, uint32_t sender);

#endif
