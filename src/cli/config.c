/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file and the variables that set options, and sets them. */
#include "cli/config.h"

#include "cli/cli.h"
#include "cli/path.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No configuration is larger; what is larger was named by mistake. */
#define MOST_BYTES (1u << 20)
#define PREFIX     "SCALENE_"

/* The whole file with a zero after it; NULL: errno says why not. */
static char *read_all(const char *path, size_t *n, struct arena *arena)
{
    FILE *in = fopen(path, "r");
    char *text = in ? arena_alloc(arena, MOST_BYTES + 1) : NULL;
    if (!in)
        return NULL;
    *n = fread(text, 1, MOST_BYTES, in);
    bool is_read = !ferror(in) && feof(in);
    int cause = ferror(in) ? errno : EFBIG;
    fclose(in);
    text[*n] = '\0';
    errno = cause;
    return is_read ? text : NULL;
}

static bool is_toml(const char *path)
{
    size_t n = strlen(path);
    return n >= 5 && strcmp(path + n - 5, ".toml") == 0;
}

static bool read_file(struct config *config, const char *path, struct err *e)
{
    size_t n;
    if (path_is_folder(path) || access(path, F_OK) != 0)
        return err_set(e, "config file '%s' not found.", path);
    char *text = read_all(path, &n, &config->arena);
    if (!text)
        return err_set(e, "cannot read the config file '%s': %s.", path, strerror(errno));
    config->path = path;
    return is_toml(path) ? config_read_toml(config, text, e) : config_read_yaml(config, text, n, e);
}

/* pyproject.toml of the working directory or of the nearest folder above it that has one. */
static const char *find_project(struct arena *arena)
{
    const char *folder = path_here(arena);
    for (;;) {
        const char *path = arena_printf(arena, "%s/pyproject.toml", folder);
        if (access(path, R_OK) == 0)
            return path;
        if (strcmp(folder, "/") == 0)
            return NULL;
        folder = path_folder(folder, arena);
    }
}

static void say_unknown(const struct config *config, const struct option_table *table,
                        const struct config_entry *entry)
{
    const char *nearest = options_nearest(table, entry->key, true);
    say("unknown config option '%s' (ignored) in %s:%zu%s%s%s", entry->key, config->path,
        entry->line, nearest ? "; did you mean '" : ".", nearest ? nearest : "",
        nearest ? "'?" : "");
}

static bool apply_file(struct config *config, const struct option_table *table, void *values,
                       struct parsed *parsed, struct err *e)
{
    struct err why;
    for (size_t i = 0; i < config->entries.n; i++) {
        const struct config_entry *entry = &config->entries.items[i];
        switch (options_set(table, entry->key, entry->value, values, parsed, &why)) {
        case OPTION_SET:
            break;
        case OPTION_UNKNOWN:
            say_unknown(config, table, entry);
            break;
        case OPTION_WRONG:
            return err_set(e, "in %s:%zu: %s", config->path, entry->line, why.text);
        }
    }
    return true;
}

/* SCALENE_PROFILE_ALL of profile-all. */
static void variable_of(const char *name, char variable[96])
{
    int n = snprintf(variable, 96, PREFIX "%s", name);
    for (int i = 0; i < n; i++)
        variable[i] = variable[i] == '-' ? '_' : (char)toupper((unsigned char)variable[i]);
}

/* A variable that is nearly one of ours was probably meant to be. */
static void say_mistyped(const struct option_table *table)
{
    for (char **variable = environ; *variable; variable++) {
        char name[64], right[96];
        size_t n = strcspn(*variable, "="), skip = strlen(PREFIX);
        if (n <= skip || n - skip >= sizeof name || strncmp(*variable, PREFIX, skip) != 0)
            continue;
        for (size_t i = 0; i <= n - skip; i++)
            name[i] = (*variable)[skip + i] == '_' ? '-' : (char)tolower((*variable)[skip + i]);
        name[n - skip] = '\0';
        const char *nearest = options_nearest(table, name, true);
        if (options_find(table, name) || !nearest)
            continue;
        variable_of(nearest, right);
        say("unknown variable %.*s (ignored); did you mean %s?", (int)n, *variable, right);
    }
}

static bool apply_environment(const struct option_table *table, void *values, struct parsed *parsed,
                              struct err *e)
{
    const struct option *option;
    struct err why;
    for (size_t i = 0; (option = options_at(table, i)); i++) {
        char variable[96];
        if (!option_is_key(option))
            continue;
        variable_of(option->name, variable);
        const char *value = getenv(variable);
        if (value && *value &&
            options_set(table, option->name, value, values, parsed, &why) == OPTION_WRONG)
            return err_set(e, "in the environment (%s): %s", variable, why.text);
    }
    say_mistyped(table);
    return true;
}

bool config_load(struct config *config, const char *path, const struct option_table *table,
                 void *values, struct parsed *parsed, struct err *e)
{
    const char *named = getenv(PREFIX "CONFIG");
    struct parsed of_file = {0};
    if (!path && named && *named)
        path = named;
    if (!path)
        path = find_project(&config->arena);
    if (path && (!read_file(config, path, e) || !apply_file(config, table, values, &of_file, e))) {
        parsed_fini(&of_file);
        return false;
    }
    bool is_applied = apply_environment(table, values, parsed, e);
    for (size_t i = 0; i < of_file.later.n; i++)
        *vec_push(&parsed->later) = of_file.later.items[i];
    parsed_fini(&of_file);
    return is_applied;
}

void config_fini(struct config *config)
{
    vec_fini(&config->entries);
    arena_fini(&config->arena);
}
