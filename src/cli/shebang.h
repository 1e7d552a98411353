/* SPDX-License-Identifier: Apache-2.0 */
/* What a file is by its first bytes, and which Python a script asks for in its first lines. */
#ifndef SCALENE_CLI_SHEBANG_H
#define SCALENE_CLI_SHEBANG_H

#include "base/arena.h"

#include <stdbool.h>

enum file_kind {
    FILE_PYTHON, /* a source, a zip, a .pyc: what python runs; or a file that must not be read */
    FILE_SCRIPT, /* a script of another interpreter */
    FILE_BINARY, /* no script at all */
    FILE_FAILED, /* cannot be read: errno says why */
};

struct shebang {
    enum file_kind kind;
    const char *python;       /* FILE_PYTHON: the interpreter it names, a path or a name; or NULL */
    const char *arguments[8]; /* NULL-ended: flags the script wants for it */
};

void shebang_read(struct shebang *shebang, const char *path, struct arena *arena);

#endif
