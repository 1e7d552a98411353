/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/filter.h"

#include <ctype.h>
#include <string.h>

static bool contains_any(const char *path, const char *const *needles)
{
    for (; *needles; needles++)
        if (strstr(path, *needles))
            return true;
    return false;
}

/* What follows `folder` and a slash in a path that lies in it; NULL when it does not. */
static const char *below(const char *path, const char *folder)
{
    size_t n = folder ? strlen(folder) : 0;
    while (n > 0 && folder[n - 1] == '/')
        n--;
    if (!folder || strncmp(path, folder, n) != 0 || path[n] != '/')
        return NULL;
    return path + n + 1;
}

static bool has_component(const char *path, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strstr(path, name); at; at = strstr(at + 1, name))
        if (at > path && at[-1] == '/' && (at[n] == '/' || at[n] == 0))
            return true;
    return false;
}

/* lib, lib64 and the like, then pythonX.Y or pythonXY.zip. */
static bool is_library_of(const char *path, const char *prefix)
{
    const char *rest = below(path, prefix);
    if (!rest || strncmp(rest, "lib", 3) != 0)
        return false;
    const char *slash = strchr(rest, '/');
    return slash && strncmp(slash + 1, "python", 6) == 0 && isdigit((unsigned char)slash[7]);
}

/* A virtual environment belongs to the libraries as a whole, scripts included, unless the program
 * itself lives in it. */
static bool is_in_environment(const char *path, const struct profile_filter *filter,
                              const struct filter_places *places)
{
    if (!places->prefix || !places->base_prefix ||
        strcmp(places->prefix, places->base_prefix) == 0 || !below(path, places->prefix))
        return false;
    const char *program = filter->program_path;
    return !program || (strcmp(program, places->prefix) != 0 && !below(program, places->prefix));
}

static bool is_library(const char *path, const struct profile_filter *filter,
                       const struct filter_places *places)
{
    return has_component(path, "site-packages") || has_component(path, "dist-packages") ||
           is_library_of(path, places->base_prefix) || is_library_of(path, places->prefix) ||
           is_in_environment(path, filter, places);
}

bool filter_is_profiled(const struct profile_filter *filter, const struct filter_places *places,
                        const char *path)
{
    if (strncmp(path, "<frozen ", 8) == 0)
        return false;
    if (filter->only && !contains_any(path, filter->only))
        return false;
    if (filter->exclude && contains_any(path, filter->exclude))
        return false;
    if (filter->is_all)
        return true;
    if (path[0] == '<')
        return places->program_string && strcmp(path, places->program_string) == 0;
    if (!filter->has_system_libraries && is_library(path, filter, places))
        return false;
    return !filter->program_path || below(path, filter->program_path);
}

/* Options of python that take a value, as letters and as words. */
static bool takes_next(const char *option)
{
    return strcmp(option, "--check-hash-based-pycs") == 0;
}

/* Looks through a cluster of one-letter options such as -bIc: 'c' or 'm' when it ends the options
 * of python itself, and *rest is what follows it; 1 when its last letter takes the next argument; 0
 * otherwise. */
static int read_cluster(const char *letters, const char **rest)
{
    for (; *letters; letters++) {
        *rest = letters + 1;
        if (*letters == 'c' || *letters == 'm')
            return *letters;
        if (*letters == 'W' || *letters == 'X')
            return letters[1] == 0;
    }
    return 0;
}

const char *filter_program_string(const char *const *arguments, const char **code)
{
    *code = NULL;
    if (!arguments || !*arguments)
        return NULL;
    for (arguments++; *arguments; arguments++) {
        const char *argument = *arguments, *rest = "";
        if (argument[0] != '-')
            return NULL;
        if (argument[1] == 0)
            return "<stdin>";
        int found = argument[1] == '-' ? takes_next(argument) : read_cluster(argument + 1, &rest);
        if (found == 'c') {
            *code = *rest ? rest : arguments[1];
            return "<string>";
        }
        if (found == 'm')
            return NULL;
        if (found == 1 && arguments[1])
            arguments++;
    }
    return "<stdin>";
}
