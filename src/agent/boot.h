/* SPDX-License-Identifier: Apache-2.0 */
/* What boot.c and probe.c share. They run once, in the main thread, holding the GIL, before the
 * program does: they may call whatever they like. */
#ifndef SCALENE_AGENT_BOOT_H
#define SCALENE_AGENT_BOOT_H

#include <stdbool.h>

/* Finds the evaluation loop and the addresses the judge needs, for unwind.c and for the ring.
 * False: this interpreter is not built as we know it. */
bool probe_interpreter(void);

/* A function of the interpreter, by name; NULL: it has none. */
void *boot_symbol(const char *name);

#endif
