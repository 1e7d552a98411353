/* SPDX-License-Identifier: Apache-2.0 */
/* Planning and writing of output files. */
#include "cli/output.h"

#include "cli/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The extension is what follows the last dot of the name, if that is not its first character. */
static const char *with_json(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - path) : strlen(path);
    return arena_printf(arena, "%.*s.json", (int)n, path);
}

/* Makes the file aside and removes it again: rights alone do not tell whether it can be made. */
static bool try_aside(const char *path, struct err *e)
{
    char aside[PATH_MAX];
    snprintf(aside, sizeof aside, "%s.XXXXXX", path);
    int fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0)
        return err_set(e, "cannot write '%s': %s.", path, strerror(errno));
    unlink(aside);
    close(fd);
    return true;
}

bool output_plan(const char **path, const char *wish, struct arena *arena, struct err *e)
{
    size_t n = wish ? strlen(wish) : 0;
    if (wish && (n == 0 || n >= PATH_MAX - 16))
        return err_set(e, "the name of the output file is %s.", n ? "too long" : "empty");
    *path = wish ? with_json(wish, arena) : OUTPUT_DEFAULT;
    if (wish && (path_is_folder(wish) || wish[n - 1] == '/'))
        return err_set(e, "outfile '%s' is a directory.", wish);
    if (path_is_folder(*path))
        return err_set(e, "outfile '%s' is a directory.", *path);
    return try_aside(*path, e);
}

/* A new file beside `path` with the rights any new file has. */
static FILE *open_aside(char *aside)
{
    mode_t mask = umask(0);
    umask(mask);
    int fd = mkostemp(aside, O_CLOEXEC);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out)
        fchmod(fd, 0666 & ~mask);
    else if (fd >= 0)
        close(fd);
    return out;
}

bool output_write(const char *path, bool (*write)(void *context, FILE *out, struct err *e),
                  void *context, struct err *e)
{
    char aside[PATH_MAX], buffer[1 << 17]; /* profiles are large */
    snprintf(aside, sizeof aside, "%s.XXXXXX", path);
    FILE *out = open_aside(aside);
    if (!out)
        return err_set(e, "cannot write '%s': %s.", path, strerror(errno));
    setvbuf(out, buffer, _IOFBF, sizeof buffer);
    e->text[0] = '\0';
    errno = 0;
    bool is_written = write(context, out, e);
    is_written &= !ferror(out);
    is_written &= fclose(out) == 0;
    if (is_written && rename(aside, path) == 0)
        return true;
    if (!e->text[0])
        err_set(e, "cannot write '%s': %s.", path, strerror(errno ? errno : EIO));
    unlink(aside);
    return false;
}
