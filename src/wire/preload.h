/* SPDX-License-Identifier: Apache-2.0 */
/* Where the agent stands in LD_PRELOAD: first, so that it sees what the program allocates, but
 * behind the run-time of a sanitizer, which refuses to start anywhere else. */
#ifndef SCALENE_WIRE_PRELOAD_H
#define SCALENE_WIRE_PRELOAD_H

#include <stdbool.h>
#include <string.h>

#define PRELOAD_SEPARATORS ": " /* the dynamic linker's */

static inline bool preload_is_sanitizer(const char *path, size_t n)
{
    static const char *const names[] = {"libasan.", "libtsan.", "liblsan.", "libmsan.",
                                        "libclang_rt."};
    size_t at = n;
    while (at > 0 && path[at - 1] != '/')
        at--;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (n - at > strlen(names[i]) && memcmp(path + at, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* How many bytes of a list the agent must stand behind: its first element, if that is a sanitizer.
 */
static inline size_t preload_head(const char *list)
{
    size_t n = strcspn(list, PRELOAD_SEPARATORS);
    return preload_is_sanitizer(list, n) ? n : 0;
}

#endif
