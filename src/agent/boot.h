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

/* Maps the control block of process_facts.folder. */
bool boot_map_control(void);
void boot_note_executable(void);
/* Measuring begins. False: it cannot. */
bool boot_start(int argc, char **argv);
/* The last word: every thread's clock. */
void boot_finish(void);

#endif
