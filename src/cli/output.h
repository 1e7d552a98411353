/* SPDX-License-Identifier: Apache-2.0 */
/* The file a profile is written to: checked before the program runs, whole or not there at all. */
#ifndef SCALENE_CLI_OUTPUT_H
#define SCALENE_CLI_OUTPUT_H

#include "base/arena.h"
#include "base/err.h"

#include <stdio.h>

#define OUTPUT_DEFAULT "scalene-profile.json"

/* The path a profile goes to: `wish` (NULL: the default) with the extension made .json. False when
 * it is a directory or nothing can be written there. */
bool output_plan(const char **path, const char *wish, struct arena *arena, struct err *e);

/* Writes aside and renames, so that whoever looks finds the old file or the new one. */
bool output_write(const char *path, bool (*write)(void *context, FILE *out, struct err *e),
                  void *context, struct err *e);

#endif
