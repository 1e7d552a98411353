/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the program, its interpreter, and the command that runs both. The program's path goes to
 * python as it was given: sys.path[0], __file__ and sys.argv[0] are python's own business. */
#include "cli/program.h"

#include "base/vec.h"
#include "cli/path.h"
#include "cli/shebang.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is worked out on the way. */
struct search {
    const struct program_wish *wish;
    struct arena *arena;
    const char *cwd;
    const char *path;       /* the file to run */
    bool is_from_path;      /* found in $PATH, as the shell would */
    struct shebang shebang; /* of the file */
};

static bool is_executable(const char *path)
{
    return access(path, X_OK) == 0 && !path_is_folder(path);
}

/* The absolute path of an executable in $PATH; NULL when there is none. */
static const char *find_in_path(const char *name, const char *cwd, struct arena *arena)
{
    const char *path = getenv("PATH");
    for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
        size_t n = strcspn(path, ":");
        bool is_absolute = n > 0 && path[0] == '/';
        const char *candidate = arena_printf(arena, "%s%s%.*s/%s", is_absolute ? "" : cwd,
                                             is_absolute ? "" : "/", (int)n, path, name);
        if (is_executable(candidate))
            return candidate;
        path += n;
    }
    return NULL;
}

static const char *find_executable(const char *name, const char *cwd, struct arena *arena)
{
    if (strchr(name, '/'))
        return is_executable(name) ? name : NULL;
    return find_in_path(name, cwd, arena);
}

/* The Python of the virtual or conda environment that this scalene itself was called from, which is
 * what whoever types venv/bin/scalene means; NULL: it is in none. Links are not followed, so that
 * a link from elsewhere (as pipx makes them) does not lead into an environment of our own. */
static const char *own_python(struct search *s)
{
    static const char *const signs[] = {"pyvenv.cfg", "conda-meta"};
    const char *self = s->wish->called_as;
    self = self ? find_executable(self, s->cwd, s->arena) : NULL;
    if (!self)
        return NULL;
    const char *folder = path_folder(path_absolute(self, s->arena), s->arena);
    const char *python = arena_printf(s->arena, "%s/python", folder);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (access(arena_printf(s->arena, "%s/../%s", folder, signs[i]), F_OK) == 0)
            return is_executable(python) ? python : NULL;
    return NULL;
}

/* The Python that the environment, not the script, names: ours, the active one's, the PATH's. */
static const char *usual_python(struct search *s)
{
    const char *venv = getenv("VIRTUAL_ENV"), *python = own_python(s);
    if (python)
        return python;
    if (venv && *venv && (python = arena_printf(s->arena, "%s/bin/python", venv)) &&
        is_executable(python))
        return python;
    python = find_in_path("python3", s->cwd, s->arena);
    return python ? python : find_in_path("python", s->cwd, s->arena);
}

/* The Python to run: the one asked for, the script's own, or the usual one. A script that only says
 * "python3" has the environment's way with it, but keeps its flags. */
static bool find_python(struct search *s, const char **python, struct err *e)
{
    const char *wanted = s->wish->python, *named = s->shebang.python;
    if (wanted) {
        *python = find_executable(wanted, s->cwd, s->arena);
        return *python || err_set(e, "there is no Python '%s' that can be executed.", wanted);
    }
    if (named && !strchr(named, '/') && (*python = own_python(s)))
        return true;
    if (named && (*python = find_executable(named, s->cwd, s->arena)))
        return true;
    s->shebang.arguments[0] = NULL;
    *python = usual_python(s);
    return *python || err_set(e, "there is no python3 in the PATH; --python PATH names another.");
}

/* A name without a slash that is no program here is looked up in $PATH, as `pytest` is. */
static bool find_file(struct search *s, const char *name, struct err *e)
{
    const char *main_file = arena_printf(s->arena, "%s/__main__.py", name);
    bool is_runnable =
        path_is_folder(name) ? access(main_file, F_OK) == 0 : access(name, F_OK) == 0;
    s->path = name;
    if (is_runnable)
        return true;
    if (!strchr(name, '/') && (s->path = find_in_path(name, s->cwd, s->arena))) {
        s->is_from_path = true;
        return true;
    }
    if (path_is_folder(name))
        return err_set(e, "'%s' is a directory without a __main__.py.", name);
    return err_set(e, "could not find input file '%s'.", name);
}

/* Whether the file itself is executed: a script of another interpreter (pyenv's shims are such),
 * or python itself. The environment carries the agent into the Python it starts. */
static bool is_run_as_it_is(const struct search *s)
{
    const char *slash = strrchr(s->path, '/');
    bool is_python = strncmp(slash ? slash + 1 : s->path, "python", 6) == 0;
    bool is_other = s->shebang.kind == FILE_SCRIPT || (s->shebang.kind == FILE_BINARY && is_python);
    return is_other && is_executable(s->path) && !s->wish->python;
}

static bool check_file(struct search *s, struct err *e)
{
    shebang_read(&s->shebang, s->path, s->arena);
    if (s->shebang.kind == FILE_FAILED)
        return err_set(e, "cannot read '%s': %s.", s->path, strerror(errno));
    if (is_run_as_it_is(s)) {
        if (s->wish->n_flags)
            return err_set(e, "'%s' is not a Python file: it cannot be given python's %s.", s->path,
                           s->wish->flags[0]);
        return true;
    }
    if (s->shebang.kind == FILE_BINARY)
        return err_set(e, "'%s' is not a Python program.", s->path);
    return true;
}

typedef vec_of(const char *) words;

static void add_all(words *to, const char *const *from, size_t n)
{
    for (size_t i = 0; i < n && from[i]; i++)
        *vec_push(to) = from[i];
}

/* Moves the words into the arena, with a NULL at the end. */
static const char *const *keep(words *list, struct arena *arena)
{
    const char **kept = arena_alloc(arena, (list->n + 1) * sizeof *kept);
    if (list->n)
        memcpy(kept, list->items, list->n * sizeof *kept);
    vec_fini(list);
    return kept;
}

/* python [flags] [-m module | -c code | file] arguments */
static bool compose(struct search *s, struct program *program, struct err *e)
{
    const struct program_wish *wish = s->wish;
    const char *python = NULL;
    words argv = {0};
    if (s->path && is_run_as_it_is(s)) {
        *vec_push(&argv) = path_absolute(s->path, s->arena);
    } else {
        if (!find_python(s, &python, e))
            return false;
        *vec_push(&argv) = python;
        add_all(&argv, s->shebang.arguments, 8);
        add_all(&argv, wish->flags, wish->n_flags);
        if (wish->module || wish->code) {
            *vec_push(&argv) = wish->module ? "-m" : "-c";
            *vec_push(&argv) = wish->module ? wish->module : wish->code;
        } else if (wish->n_rest) {
            *vec_push(&argv) = s->path ? s->path : wish->rest[0];
        }
    }
    size_t first = wish->module || wish->code || wish->n_rest == 0 ? 0 : 1;
    add_all(&argv, wish->rest + first, wish->n_rest - first);
    program->argv = keep(&argv, s->arena);
    words arguments = {0};
    add_all(&arguments, wish->rest + first, wish->n_rest - first);
    program->run.arguments = keep(&arguments, s->arena);
    return true;
}

/* What the stages after us are told. A program from the PATH works on what lies here. */
static void describe(struct search *s, struct program *program)
{
    struct collect_run *run = &program->run;
    const char *file = s->path ? path_absolute(s->path, s->arena) : NULL;
    run->entry_folder = "";
    run->program_path = s->cwd;
    run->program = s->wish->module ? s->wish->module : s->wish->code ? "-c" : file ? file : "-";
    if (file) {
        run->entry_folder = path_is_folder(file) ? file : path_folder(file, s->arena);
        run->program_path = s->is_from_path ? s->cwd : run->entry_folder;
    }
    if (s->wish->root)
        run->program_path = path_absolute(s->wish->root, s->arena);
}

bool program_find(struct program *program, const struct program_wish *wish, struct arena *arena,
                  struct err *e)
{
    struct search s = {.wish = wish, .arena = arena, .cwd = path_here(arena)};
    bool is_stdin = wish->n_rest == 0 || strcmp(wish->rest[0], "-") == 0;
    bool has_file = !wish->module && !wish->code && !is_stdin;
    if (!wish->module && !wish->code && wish->n_rest == 0 && isatty(STDIN_FILENO))
        return err_set(e, "no input file specified.");
    if (has_file && (!find_file(&s, wish->rest[0], e) || !check_file(&s, e)))
        return false;
    if (!compose(&s, program, e))
        return false;
    describe(&s, program);
    return true;
}

bool program_is_named(const char *word, struct arena *arena)
{
    size_t n = strlen(word);
    bool is_source = n > 3 && strcmp(word + n - 3, ".py") == 0;
    return is_source || access(word, F_OK) == 0 || find_executable(word, "", arena) != NULL;
}
