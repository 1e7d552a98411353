/* SPDX-License-Identifier: Apache-2.0 */
#include "source/decorated.h"

#include "../check.h"

#include <string.h>

static struct source source_of(const char *text)
{
    struct source source;
    source_init(&source, text, strlen(text));
    return source;
}

static bool needs(const char *text)
{
    struct source source = source_of(text);
    bool found = decorated_needs(&source, "profile");
    source_fini(&source);
    return found;
}

static void name_without_a_definition_is_needed(void)
{
    CHECK(needs("@profile\ndef f(): pass\n"));
    CHECK(needs("class K:\n    @staticmethod\n    @profile\n    def f(): pass\n"));
    CHECK(needs("@profile # why\nasync def f(): pass\n"));
    CHECK(needs("import profiler\n@profile\ndef f(): return profile == 1\n"));
}

static void name_of_the_programs_own_is_not(void)
{
    CHECK(!needs("def f(): pass\n"));
    CHECK(!needs("@profiled\ndef f(): pass\n"));
    CHECK(!needs("@my.profile\ndef f(): pass\n"));
    CHECK(!needs("'''\n@profile\ndef f(): pass\n'''\n"));
    CHECK(!needs("def profile(f): return f\n@profile\ndef f(): pass\n"));
    CHECK(!needs("from line_profiler import profile\n@profile\ndef f(): pass\n"));
    CHECK(!needs("import x as profile\n@profile\ndef f(): pass\n"));
    CHECK(!needs(
        "try:\n    profile\nexcept NameError:\n    profile = id\n@profile\ndef f(): pass\n"));
}

static void lines_of_decorated_functions_are_known(void)
{
    struct source source = source_of("@profile\n"       /* 1 */
                                     "def f():\n"       /* 2 */
                                     "    def g():\n"   /* 3 */
                                     "        pass\n"   /* 4 */
                                     "    return g\n"   /* 5 */
                                     "def h():\n"       /* 6 */
                                     "    @profile\n"   /* 7 */
                                     "    def k():\n"   /* 8 */
                                     "        pass\n"   /* 9 */
                                     "    return k\n"); /* 10 */
    static const bool wanted[] = {true, true, true, true, true, false, true, true, true, false};
    for (uint32_t i = 0; i < sizeof wanted; i++)
        CHECK(decorated_has(&source, "profile", i + 1) == wanted[i]);
    CHECK(!decorated_has(&source, "profile", 0) && !decorated_has(&source, "profile", 11));
    source_fini(&source);
}

int main(void)
{
    RUN(name_without_a_definition_is_needed);
    RUN(name_of_the_programs_own_is_not);
    RUN(lines_of_decorated_functions_are_known);
    return 0;
}
