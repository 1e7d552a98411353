/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the outline, the largest against what Python's own parser says of the same file. */
#include "source/outline.h"

#include "../check.h"
#include "source/source.h"

static void init(struct source *s, const char *text)
{
    source_init(s, text, strlen(text));
}

static char *read_golden(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/source/%s", GOLDEN_FOLDER, name);
    FILE *file = fopen(path, "r");
    CHECK(file);
    char *text = calloc(1, 65536);
    CHECK(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void outline_is_that_of_the_parser(void)
{
    static const char *const kinds[] = {"loop", "function", "class"};
    char *python = read_golden("nasty.py"), *want = read_golden("nasty.regions");
    char got[8192] = "";
    struct source s;
    init(&s, python);
    for (size_t i = 0; i < s.outline.blocks.n; i++) {
        const struct block *b = &s.outline.blocks.items[i];
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s %u %u %u %s\n", kinds[b->kind], b->first_line,
                 b->start_line, b->end_line, b->name ? b->name : "-");
    }
    CHECK_STR(got, want);
    source_fini(&s);
    free(python);
    free(want);
}

static void imports_are_listed_once(void)
{
    static const char *const want[] = {"import os, sys",
                                       "import json",
                                       "from collections import OrderedDict, defaultdict as dd",
                                       "from . import *",
                                       "from ..above import below",
                                       "import zlib"};
    char *python = read_golden("nasty.py");
    struct source s;
    init(&s, python);
    CHECK(s.outline.imports.n == sizeof want / sizeof *want);
    for (size_t i = 0; i < s.outline.imports.n; i++)
        CHECK_STR(s.outline.imports.items[i], want[i]);
    source_fini(&s);
    free(python);
    init(&s, "import a.b as c\nimport  a.b  as c\nfrom .x import y\nx = 1; from z import (w)\n");
    CHECK(s.outline.imports.n == 3);
    CHECK_STR(s.outline.imports.items[0], "import a.b as c");
    CHECK_STR(s.outline.imports.items[1], "from .x import y");
    CHECK_STR(s.outline.imports.items[2], "from z import w");
    source_fini(&s);
}

static void check_place(const struct source *s, uint32_t line, const uint32_t want[6])
{
    struct outline_place p = outline_place(&s->outline, line);
    uint32_t got[6] = {p.region.start,       p.region.end,     p.outermost_loop.start,
                       p.outermost_loop.end, p.function.start, p.function.end};
    if (memcmp(got, want, sizeof got) != 0)
        fprintf(stderr, "line %u: %u-%u %u-%u %u-%u\n", line, got[0], got[1], got[2], got[3],
                got[4], got[5]);
    CHECK(memcmp(got, want, sizeof got) == 0);
}

static void places_of_lines(void)
{
    struct source s;
    init(&s, "x = 1\n"                   /* 1 */
             "for a in b:\n"             /* 2 */
             "    def f():\n"            /* 3 */
             "        y = 1\n"           /* 4 */
             "        while y:\n"        /* 5 */
             "            for z in y:\n" /* 6 */
             "                z\n"       /* 7 */
             "    class C:\n"            /* 8 */
             "        w = 1\n");         /* 9 */
    check_place(&s, 1, (uint32_t[]){1, 1, 1, 1, 0, 0});
    check_place(&s, 2, (uint32_t[]){2, 9, 2, 9, 0, 0});
    check_place(&s, 4, (uint32_t[]){3, 7, 3, 7, 3, 7});
    check_place(&s, 5, (uint32_t[]){5, 7, 5, 7, 3, 7});
    check_place(&s, 7, (uint32_t[]){6, 7, 5, 7, 3, 7});
    check_place(&s, 9, (uint32_t[]){8, 9, 8, 9, 8, 9});
    check_place(&s, 99, (uint32_t[]){99, 99, 99, 99, 0, 0});
    check_place(&s, 0, (uint32_t[]){0, 0, 0, 0, 0, 0});
    source_fini(&s);
}

static void bare_names_are_qualified(void)
{
    struct source s;
    init(&s, "class A:\n"
             "    @deco\n"
             "    def f(self):\n"
             "        def f():\n"
             "            pass\n"
             "        x = 1\n"
             "def f(): pass\n");
    CHECK_STR(outline_qualify(&s.outline, "f", 2), "A.f");
    CHECK_STR(outline_qualify(&s.outline, "f", 3), "A.f");
    CHECK_STR(outline_qualify(&s.outline, "f", 5), "A.f.<locals>.f");
    CHECK_STR(outline_qualify(&s.outline, "f", 6), "A.f");
    CHECK_STR(outline_qualify(&s.outline, "f", 7), "f");
    CHECK_STR(outline_qualify(&s.outline, "g", 5), "g");
    CHECK_STR(outline_qualify(&s.outline, "B.f", 5), "B.f");
    CHECK_STR(outline_qualify(&s.outline, "<module>", 1), "<module>");
    CHECK_STR(outline_qualify(&s.outline, "f", 4000000000u), "f");
    source_fini(&s);
}

static void broken_files_have_an_outline_too(void)
{
    struct source s;
    init(&s, "def\nclass\nasync\nfor\ndef f(:\n  x = [1,\n\ndef g():\n  y\n");
    const struct block *last = &s.outline.blocks.items[s.outline.blocks.n - 1];
    CHECK_STR(last->name, "g");
    CHECK(last->start_line == 8 && last->end_line == 9);
    source_fini(&s);
    init(&s, "");
    CHECK(s.n_lines == 0 && s.outline.blocks.n == 0);
    source_fini(&s);
}

int main(void)
{
    RUN(outline_is_that_of_the_parser);
    RUN(imports_are_listed_once);
    RUN(places_of_lines);
    RUN(bare_names_are_qualified);
    RUN(broken_files_have_an_outline_too);
    return 0;
}
