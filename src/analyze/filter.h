/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are profiled: the program's tree without libraries, unless the user says otherwise.
 */
#ifndef SCALENE_ANALYZE_FILTER_H
#define SCALENE_ANALYZE_FILTER_H

#include "analyze/profile.h"

/* Where a process has its libraries; NULL: not known (yet). */
struct filter_places {
    const char *base_prefix;    /* of the installation */
    const char *prefix;         /* of the virtual environment, base_prefix when there is none */
    const char *program_string; /* "<string>" or "<stdin>" when that is the program itself */
};

/* `path` is absolute, or a name in angle brackets. */
bool filter_is_profiled(const struct profile_filter *filter, const struct filter_places *places,
                        const char *path);

/* "<string>" for python -c, "<stdin>" for a program read from there, NULL for a file or module.
 * `arguments` is sys.orig_argv, NULL-ended; *code is what stands behind -c, or NULL. */
const char *filter_program_string(const char *const *arguments, const char **code);

#endif
