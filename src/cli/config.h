/* SPDX-License-Identifier: Apache-2.0 */
/* Options from files and from the environment: the layers below the command line.
 *
 * A file is a list of keys and values, whatever its format; a key is the name of an option. */
#ifndef SCALENE_CLI_CONFIG_H
#define SCALENE_CLI_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "cli/options.h"

struct config_entry {
    const char *key, *value; /* a list is one value, its items separated by commas */
    size_t line;
};

/* What was read. The values of options point into it: it lives as long as they do. */
struct config {
    struct arena arena;
    const char *path; /* of the file; NULL: there is none */
    vec_of(struct config_entry) entries;
};

/* Sets the values of a table by a file, then by the environment. `path` is the file that was asked
 * for; NULL: the [tool.scalene] of the nearest pyproject.toml, if there is one. Unknown keys are
 * named on stderr and left out; false: e is one sentence. */
bool config_load(struct config *config, const char *path, const struct option_table *table,
                 void *values, struct parsed *parsed, struct err *e);
void config_fini(struct config *config);

/* The formats. The text ends with a zero; false: e is one sentence that names file and line. */
bool config_read_yaml(struct config *config, const char *text, size_t n_bytes, struct err *e);
/* Only the table tool.scalene; all others are passed over, whatever is in them. */
bool config_read_toml(struct config *config, const char *text, struct err *e);

#endif
