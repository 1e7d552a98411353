/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of the first lines of scripts. Four forms name a Python:
 *
 *     #!/x/bin/python -E                 the rest of the line is one argument, as for the kernel
 *     #!/usr/bin/env python3
 *     #!/usr/bin/env -S python3 -u       the rest is split at spaces
 *     #!/bin/sh                          pip writes this where the path is too long for the kernel
 *     '''exec' "/x y/python" "$0" "$@"   */
#include "cli/shebang.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SNIFFED_BYTES 4096
#define PIP_TRICK     "'''exec' "

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_python_name(const char *path)
{
    const char *name = base_name(path);
    return strncmp(name, "python", 6) == 0 && name[6 + strspn(name + 6, "0123456789.dt")] == '\0';
}

/* Cuts the next word off *text; NULL when there is none. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, " \t");
    size_t n = strcspn(word, " \t");
    *text = word + n + (word[n] != '\0');
    word[n] = '\0';
    return n ? word : NULL;
}

/* The rest of the line without the spaces around it; NULL when nothing is left. */
static char *rest_of(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        text[--n] = '\0';
    return n ? text : NULL;
}

static void split_arguments(struct shebang *shebang, char *text)
{
    size_t room = sizeof shebang->arguments / sizeof *shebang->arguments - 1;
    for (size_t i = 0; i < room && (shebang->arguments[i] = next_word(&text)); i++)
        continue;
}

/* The words after env: a name, or with -S a name and its arguments. */
static void read_env(struct shebang *shebang, char *text)
{
    char *word = next_word(&text);
    if (word && strcmp(word, "-S") == 0) {
        word = next_word(&text);
        split_arguments(shebang, text);
    }
    shebang->python = word;
}

/* The path in pip's second line, quoted or not; NULL when it is something else. */
static char *pip_python(char *line)
{
    if (strncmp(line, PIP_TRICK, strlen(PIP_TRICK)) != 0)
        return NULL;
    char *path = line + strlen(PIP_TRICK);
    char quote = *path == '"' ? '"' : ' ';
    path += *path == '"';
    char *end = strchr(path, quote);
    if (!end)
        return NULL;
    *end = '\0';
    return strpbrk(path, "$`") ? NULL : path;
}

static void read_lines(struct shebang *shebang, char *first, char *second)
{
    char *text = first + 2, *program = next_word(&text);
    if (!program) {
        return;
    } else if (strcmp(base_name(program), "env") == 0) {
        read_env(shebang, text);
    } else if (strcmp(base_name(program), "sh") == 0) {
        shebang->python = pip_python(second);
    } else {
        shebang->python = program;
        shebang->arguments[0] = rest_of(text);
    }
    if (!shebang->python || !is_python_name(shebang->python))
        *shebang = (struct shebang){.kind = FILE_SCRIPT};
}

/* Zips and .pyc files hold zeros, and python runs them; no source text does. */
static enum file_kind kind_of_bytes(const char *bytes, size_t n)
{
    bool is_zip = n >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
    bool is_pyc = n >= 16 && memcmp(bytes + 2, "\r\n", 2) == 0;
    bool is_script = n >= 2 && memcmp(bytes, "#!", 2) == 0;
    bool has_zero = memchr(bytes, '\0', n) != NULL;
    return has_zero && !is_zip && !is_pyc && !is_script ? FILE_BINARY : FILE_PYTHON;
}

void shebang_read(struct shebang *shebang, const char *path, struct arena *arena)
{
    struct stat st;
    *shebang = (struct shebang){.kind = FILE_FAILED};
    if (stat(path, &st) != 0 || access(path, R_OK) != 0)
        return;
    shebang->kind = FILE_PYTHON;
    if (!S_ISREG(st.st_mode))
        return; /* what is read from a pipe would be missing in python */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = arena_alloc(arena, SNIFFED_BYTES + 1);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, SNIFFED_BYTES);
    if (fd >= 0)
        close(fd);
    shebang->kind = n < 0 ? FILE_FAILED : kind_of_bytes(bytes, (size_t)n);
    if (n < 2 || memcmp(bytes, "#!", 2) != 0)
        return;
    char *end = strchr(bytes, '\n'), *second = end ? end + 1 : bytes + n;
    if (end)
        *end = '\0';
    bytes[strcspn(bytes, "\r")] = '\0';
    second[strcspn(second, "\n")] = '\0';
    read_lines(shebang, bytes, second);
}
