/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/text.h"

#include "../check.h"

static struct arena arena;

static void python_strings_of_every_width_become_utf_8(void)
{
    static const uint8_t latin[] = {'a', 0xe9, 0xff, 0};
    static const uint16_t wide[] = {'a', 0x20ac, 0xd800, 0xdc80, 0xffff};
    static const uint32_t full[] = {'a', 0x1f600, 0x110000, 0xdfff};
    CHECK_STR(text_from_python(&arena, latin, 4, 1), "a\u00e9\u00ff\ufffd");
    CHECK_STR(text_from_python(&arena, (const uint8_t *)wide, 5, 2), "a\u20ac\ufffd\ufffd\uffff");
    CHECK_STR(text_from_python(&arena, (const uint8_t *)full, 4, 4), "a\U0001f600\ufffd\ufffd");
    CHECK_STR(text_from_python(&arena, latin, 0, 1), "");
}

static const char *cleaned(const char *bytes)
{
    return text_from_bytes(&arena, (const uint8_t *)bytes, strlen(bytes));
}

static void bytes_that_are_no_utf_8_are_replaced(void)
{
    CHECK_STR(cleaned("plain"), "plain");
    CHECK_STR(cleaned("\u00e9\u20ac\U0001f600"), "\u00e9\u20ac\U0001f600");
    CHECK_STR(cleaned("a\xe9"), "a\ufffd");
    CHECK_STR(cleaned("\x80z\xff"), "\ufffdz\ufffd");
    CHECK_STR(cleaned("\xc0\xaf"), "\ufffd\ufffd");           /* too long for a slash */
    CHECK_STR(cleaned("\xed\xa0\x80"), "\ufffd\ufffd\ufffd"); /* a surrogate */
    CHECK_STR(cleaned("\xf0\x9f\x98"), "\ufffd\ufffd\ufffd"); /* cut short */
}

static void lists_end_with_their_last_zero_byte(void)
{
    const char *const *list = text_list(&arena, (const uint8_t *)"a\0\0bc\0rest", 10);
    CHECK_STR(list[0], "a");
    CHECK_STR(list[1], "");
    CHECK_STR(list[2], "bc");
    CHECK(list[3] == NULL);
    CHECK(text_list(&arena, (const uint8_t *)"", 0)[0] == NULL);
}

static void paths_become_absolute(void)
{
    CHECK_STR(text_absolute_path(&arena, "/home/me", "prog.py"), "/home/me/prog.py");
    CHECK_STR(text_absolute_path(&arena, "/home/me", "./a/../b//c.py"), "/home/me/b/c.py");
    CHECK_STR(text_absolute_path(&arena, "/home/me", "../../../x.py"), "/x.py");
    CHECK_STR(text_absolute_path(&arena, "/home/me", "/opt/./x.py"), "/opt/x.py");
    CHECK_STR(text_absolute_path(&arena, "/home/me", "<string>"), "<string>");
    CHECK_STR(text_absolute_path(&arena, "/", "x.py"), "/x.py");
    CHECK_STR(text_absolute_path(&arena, NULL, "x.py"), "/x.py");
    CHECK_STR(text_absolute_path(&arena, "/a", ""), "/a");
    CHECK_STR(text_absolute_path(&arena, "/", ".."), "/");
}

int main(void)
{
    RUN(python_strings_of_every_width_become_utf_8);
    RUN(bytes_that_are_no_utf_8_are_replaced);
    RUN(lists_end_with_their_last_zero_byte);
    RUN(paths_become_absolute);
    arena_fini(&arena);
    return 0;
}
