/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as texts. */
#ifndef SCALENE_CLI_PATH_H
#define SCALENE_CLI_PATH_H

#include "base/arena.h"

#include <stdbool.h>

/* The path from the root on, without empty, . and .. parts: as os.path.abspath makes it, which is
 * how Python names its files. Links are left alone. */
const char *path_absolute(const char *path, struct arena *arena);
/* The folder we are in. */
const char *path_here(struct arena *arena);
/* The folder of an absolute path. */
const char *path_folder(const char *path, struct arena *arena);
bool path_is_folder(const char *path);

#endif
