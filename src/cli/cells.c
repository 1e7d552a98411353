/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cells.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_line(struct cells *cells, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *shown = strchr(line, '\t');
    char *path = shown ? strchr(shown + 1, '\t') : NULL;
    if (!path)
        return false;
    *shown = *path = '\0';
    struct arena *a = &cells->arena;
    *vec_push(&cells->items) =
        (struct cell){.name = arena_strndup(a, line, strlen(line)),
                      .shown = arena_strndup(a, shown + 1, strlen(shown + 1)),
                      .path = arena_strndup(a, path + 1, strlen(path + 1))};
    return true;
}

bool cells_load(struct cells *cells, const char *path, struct err *e)
{
    char *line = NULL;
    size_t room = 0;
    bool is_right = true;
    FILE *file = fopen(path, "re");
    *cells = (struct cells){0};
    if (!file)
        return err_set(e, "cannot read the list of cells '%s': %s.", path, strerror(errno));
    while (is_right && getline(&line, &room, file) > 0)
        is_right = add_line(cells, line);
    free(line);
    fclose(file);
    return is_right || err_set(e, "'%s' is not a list of cells.", path);
}

void cells_fini(struct cells *cells)
{
    vec_fini(&cells->items);
    arena_fini(&cells->arena);
}

const char *cells_shown(void *context, const char *name)
{
    const struct cells *cells = context;
    for (size_t i = 0; i < cells->items.n; i++)
        if (strcmp(cells->items.items[i].name, name) == 0)
            return cells->items.items[i].shown;
    return NULL;
}

const char *cells_text(const struct cells *cells, const char *shown)
{
    for (size_t i = cells->items.n; i > 0; i--) /* a cell that was run again: its latest text */
        if (strcmp(cells->items.items[i - 1].shown, shown) == 0)
            return cells->items.items[i - 1].path;
    return shown;
}
