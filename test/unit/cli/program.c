/* SPDX-License-Identifier: Apache-2.0 */
/* From what was typed to what is executed, in a folder made for the test. */
#include "cli/program.h"

#include "../check.h"
#include "cli/output.h"
#include "cli/path.h"
#include "cli/shebang.h"

#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;
static char folder[] = "/tmp/scalene-program-XXXXXX";

static void put(const char *name, const char *text, size_t n, mode_t mode)
{
    FILE *file = fopen(name, "wb");
    CHECK(file && fwrite(text, 1, n, file) == n && fclose(file) == 0);
    CHECK(chmod(name, mode) == 0);
}

static void put_text(const char *name, const char *text, mode_t mode)
{
    put(name, text, strlen(text), mode);
}

static const char *in_folder(const char *name)
{
    return arena_printf(&arena, "%s/%s", folder, name);
}

/* The command for `scalene run [--python py] words...`, joined by spaces, or the error. */
static const char *command(struct program_wish wish, struct program *program)
{
    struct err e;
    const char *joined = "";
    *program = (struct program){0};
    while (wish.rest && wish.rest[wish.n_rest])
        wish.n_rest++;
    if (!program_find(program, &wish, &arena, &e))
        return arena_printf(&arena, "! %s", e.text);
    for (size_t i = 0; program->argv[i]; i++)
        joined = arena_printf(&arena, "%s%s%s", joined, i ? " " : "", program->argv[i]);
    return joined;
}

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void script_is_given_to_python_as_it_was_typed(void)
{
    struct program p;
    const char *python = in_folder("bin/python3");
    put_text("plain.py", "print(1)\n", 0644);
    CHECK_STR(command((struct program_wish){.rest = WORDS("./plain.py", "-x", "y")}, &p),
              arena_printf(&arena, "%s ./plain.py -x y", python));
    CHECK_STR(p.run.program, in_folder("plain.py"));
    CHECK_STR(p.run.entry_folder, folder);
    CHECK_STR(p.run.program_path, folder);
    CHECK_STR(p.run.arguments[1], "y");
}

static void module_and_code_and_stdin_need_no_file(void)
{
    struct program p;
    const char *python = in_folder("bin/python3");
    CHECK_STR(command((struct program_wish){.module = "mod", .rest = WORDS("a")}, &p),
              arena_printf(&arena, "%s -m mod a", python));
    CHECK_STR(p.run.program, "mod");
    CHECK_STR(p.run.entry_folder, "");
    CHECK_STR(command((struct program_wish){.code = "x=1"}, &p),
              arena_printf(&arena, "%s -c x=1", python));
    CHECK_STR(command((struct program_wish){.rest = WORDS("-", "a")}, &p),
              arena_printf(&arena, "%s - a", python));
}

static void script_has_its_own_interpreter(void)
{
    struct program p;
    const char *own = in_folder("own python/python3.9");
    static const struct {
        const char *form, *want;
    } forms[] = {
        {"#!/usr/bin/env python3\n", "bin/python3 script"},
        {"#!/usr/bin/env -S python3 -u -B\n", "bin/python3 -u -B script"},
        {"#!/gone/python\n", "bin/python3 script"},
        {"#!/usr/bin/env ruby\n", "script"},
        {"#!/bin/sh\necho\n", "script"},
        {"#!\n", "bin/python3 script"},
        {"", "bin/python3 script"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        put_text("script", forms[i].form, 0755);
        CHECK_STR(command((struct program_wish){.rest = WORDS("script")}, &p),
                  in_folder(forms[i].want));
    }
    put_text("script",
             arena_printf(&arena, "#!/bin/sh\n'''exec' \"%s\" \"$0\" \"$@\"\n' '''\n", own), 0755);
    CHECK_STR(command((struct program_wish){.rest = WORDS("script", "1")}, &p),
              arena_printf(&arena, "%s script 1", own));
    CHECK_STR(command((struct program_wish){.python = own, .rest = WORDS("script")}, &p),
              arena_printf(&arena, "%s script", own));
}

static void command_of_the_path_works_on_what_lies_here(void)
{
    struct program p;
    put_text("bin/tool", "#!/usr/bin/env python3\n", 0755);
    CHECK_STR(command((struct program_wish){.rest = WORDS("tool", "-x")}, &p),
              arena_printf(&arena, "%s %s -x", in_folder("bin/python3"), in_folder("bin/tool")));
    CHECK_STR(p.run.program_path, folder);
    CHECK(mkdir("tool", 0755) == 0); /* a folder of that name is in the way of nobody */
    command((struct program_wish){.rest = WORDS("tool")}, &p);
    rmdir("tool");
    CHECK(p.argv);
    CHECK_STR(p.argv[1], in_folder("bin/tool"));
}

static void what_cannot_be_run_is_one_sentence(void)
{
    struct program p;
    put("binary", "\177ELF\2\1\1\0\0\0", 10, 0755);
    CHECK(mkdir("empty", 0755) == 0);
    CHECK_STR(command((struct program_wish){.rest = WORDS("none.py")}, &p),
              "! could not find input file 'none.py'.");
    CHECK_STR(command((struct program_wish){.rest = WORDS("empty")}, &p),
              "! 'empty' is a directory without a __main__.py.");
    CHECK_STR(command((struct program_wish){.rest = WORDS("./binary")}, &p),
              "! './binary' is not a Python program.");
    CHECK_STR(command((struct program_wish){.python = "/no/python", .rest = WORDS("plain.py")}, &p),
              "! there is no Python '/no/python' that can be executed.");
}

static void zips_and_pyc_files_are_pythons(void)
{
    struct shebang shebang;
    put("app", "PK\3\4\0\0\0\0", 8, 0644);
    shebang_read(&shebang, "app", &arena);
    CHECK(shebang.kind == FILE_PYTHON);
    put("x.pyc", "\xa7\r\r\n\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, 0644);
    shebang_read(&shebang, "x.pyc", &arena);
    CHECK(shebang.kind == FILE_PYTHON);
}

static void paths_are_made_absolute_as_python_does(void)
{
    CHECK_STR(path_absolute("/a/./b//../c/", &arena), "/a/c");
    CHECK_STR(path_absolute("/../..", &arena), "/");
    CHECK_STR(path_absolute("x/../y", &arena), in_folder("y"));
    CHECK_STR(path_absolute(".", &arena), folder);
    CHECK_STR(path_folder("/a", &arena), "/");
    CHECK_STR(path_folder("/a/b", &arena), "/a");
}

static bool write_half(void *context, FILE *out, struct err *e)
{
    (void)context;
    fputs("half", out);
    return err_set(e, "it broke.");
}

static bool write_whole(void *context, FILE *out, struct err *e)
{
    (void)context;
    (void)e;
    return fputs("whole", out) >= 0;
}

static void output_is_whole_or_not_there(void)
{
    const char *path;
    struct err e;
    CHECK(output_plan(&path, "out.html", &arena, &e));
    CHECK_STR(path, "out.json");
    CHECK(output_plan(&path, "./.hidden", &arena, &e));
    CHECK_STR(path, "./.hidden.json");
    CHECK(!output_plan(&path, "empty", &arena, &e));
    CHECK_STR(e.text, "outfile 'empty' is a directory.");
    CHECK(!output_plan(&path, "no/such/out", &arena, &e));
    CHECK_STR(e.text, "cannot write 'no/such/out.json': No such file or directory.");
    CHECK(output_write("out.json", write_whole, NULL, &e));
    CHECK(!output_write("out.json", write_half, NULL, &e));
    CHECK_STR(e.text, "it broke.");
    struct stat st;
    CHECK(stat("out.json", &st) == 0 && st.st_size == 5);
    CHECK(system("test $(ls -a | grep -c out.json) = 1") == 0);
}

int main(void)
{
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    CHECK(mkdir("bin", 0755) == 0 && mkdir("own python", 0755) == 0);
    put_text("bin/python3", "#!/bin/sh\n", 0755);
    put_text("own python/python3.9", "#!/bin/sh\n", 0755);
    unsetenv("VIRTUAL_ENV");
    setenv("PATH", arena_printf(&arena, "%s/bin:%s", folder, getenv("PATH")), 1);
    RUN(script_is_given_to_python_as_it_was_typed);
    RUN(module_and_code_and_stdin_need_no_file);
    RUN(script_has_its_own_interpreter);
    RUN(command_of_the_path_works_on_what_lies_here);
    RUN(what_cannot_be_run_is_one_sentence);
    RUN(zips_and_pyc_files_are_pythons);
    RUN(paths_are_made_absolute_as_python_does);
    RUN(output_is_whole_or_not_there);
    CHECK(chdir("/") == 0);
    CHECK(system(arena_printf(&arena, "rm -r '%s'", folder)) == 0);
    arena_fini(&arena);
    return 0;
}
