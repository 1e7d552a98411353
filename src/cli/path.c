/* SPDX-License-Identifier: Apache-2.0 */
/* Making paths absolute and taking them apart. */
#include "cli/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *path_here(struct arena *arena)
{
    char *cwd = getcwd(NULL, 0);
    const char *here = cwd && cwd[0] == '/' ? arena_strndup(arena, cwd, strlen(cwd)) : "/";
    free(cwd);
    return here;
}

/* Appends one part to the path of length n; its new length. */
static size_t append(char *path, size_t n, const char *part, size_t n_part)
{
    if (n_part == 0 || (n_part == 1 && part[0] == '.'))
        return n;
    if (n_part == 2 && part[0] == '.' && part[1] == '.') {
        while (n > 0 && path[--n] != '/')
            continue;
        return n;
    }
    path[n] = '/';
    memcpy(path + n + 1, part, n_part);
    return n + 1 + n_part;
}

const char *path_absolute(const char *path, struct arena *arena)
{
    const char *from = path[0] == '/' ? path : arena_printf(arena, "%s/%s", path_here(arena), path);
    char *to = arena_alloc(arena, strlen(from) + 2);
    size_t n = 0;
    while (*from) {
        size_t n_part = strcspn(from, "/");
        n = append(to, n, from, n_part);
        from += n_part + (from[n_part] == '/');
    }
    to[n] = '\0';
    return n ? to : "/";
}

const char *path_folder(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash && slash > path ? arena_strndup(arena, path, (size_t)(slash - path)) : "/";
}

bool path_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
