/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of reading files: odd bytes in, clean lines out. */
#include "source/source.h"

#include "../check.h"
#include "source/utf8.h"

#include <sys/stat.h>
#include <unistd.h>

static void check_text(const char *bytes, size_t n_bytes, const char *want, uint32_t n_lines)
{
    struct source s;
    source_init(&s, bytes, n_bytes);
    char *text = calloc(1, s.n_bytes + 1);
    if (s.n_bytes)
        memcpy(text, s.text, s.n_bytes);
    CHECK_STR(text, want);
    CHECK(strlen(text) == s.n_bytes);
    CHECK(s.n_lines == n_lines);
    free(text);
    source_fini(&s);
}

#define CHECK_TEXT(bytes, want, n_lines) check_text(bytes, sizeof bytes - 1, want, n_lines)

static void bytes_become_clean_text(void)
{
    CHECK_TEXT("", "", 0);
    CHECK_TEXT("a", "a", 1);
    CHECK_TEXT("a\n\nb\n", "a\n\nb\n", 3);
    CHECK_TEXT("\xef\xbb\xbfx\n", "x\n", 1);
    CHECK_TEXT("a\r\nb\rc\r", "a\nb\nc\n", 3);
    CHECK_TEXT("a\0b\n",
               "a\xef\xbf\xbd"
               "b\n",
               1);
    CHECK_TEXT("caf\xe9\n", "caf\xef\xbf\xbd\n", 1);
    CHECK_TEXT("# -*- coding: latin-1 -*-\ncaf\xe9\n", "# -*- coding: latin-1 -*-\ncafé\n", 2);
    CHECK_TEXT("#!python\n# vim: set fileencoding=ISO-8859-15 :\n\xe9",
               "#!python\n# vim: set fileencoding=ISO-8859-15 :\né", 3);
    CHECK_TEXT("\xf0\x9f\x90", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 1);
    CHECK_TEXT("#coding:", "#coding:", 1);
}

static void utf8_is_strict(void)
{
    static const char *const bad[] = {"\x80",         "\xc0\x80",         "\xe0\x80\x80",
                                      "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80",
                                      "\xc3"};
    uint32_t c;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(utf8_decode(bad[i], strlen(bad[i]), &c) == 0);
    static const uint32_t good[] = {0x24, 0xe9, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char bytes[4];
        size_t n = utf8_append(bytes, good[i]);
        CHECK(utf8_decode(bytes, n, &c) == n && c == good[i]);
    }
}

static void what_is_no_file_is_refused(void)
{
    struct source s;
    struct err e;
    char folder[] = "/tmp/source-XXXXXX", path[64];
    CHECK(mkdtemp(folder));
    CHECK(!source_load(&s, folder, &e) && strstr(e.text, "is not a regular file."));
    snprintf(path, sizeof path, "%s/pipe", folder);
    CHECK(mkfifo(path, 0600) == 0);
    CHECK(!source_load(&s, path, &e)); /* and does not wait for a writer */
    unlink(path);
    CHECK(!source_load(&s, path, &e) && strstr(e.text, "cannot be opened"));
    FILE *file = fopen(path, "w");
    CHECK(file && ftruncate(fileno(file), SOURCE_MAX_BYTES + 1) == 0);
    fclose(file);
    CHECK(!source_load(&s, path, &e) && strstr(e.text, "is larger than 16 MB."));
    CHECK(!source_load(&s, "/dev/zero", &e));
    unlink(path);
    rmdir(folder);
}

static void a_text_is_found_in_a_file(void)
{
    char path[] = "/tmp/source-XXXXXX";
    int fd = mkstemp(path);
    CHECK(!source_mentions(path, "a")); /* nothing is in it */
    CHECK(fd >= 0 && write(fd, "@profile\n", 9) == 9);
    CHECK(source_mentions(path, "profile") && !source_mentions(path, "profiles"));
    close(fd);
    unlink(path);
    CHECK(!source_mentions(path, "profile"));
}

static void a_file_is_read_once(void)
{
    char path[] = "/tmp/source-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, "x = 1\n", 6) == 6);
    close(fd);
    struct sources sources = {0};
    const struct source *first = sources_of(&sources, path);
    unlink(path);
    CHECK(first && first->n_lines == 1);
    CHECK(sources_of(&sources, path) == first);
    CHECK(sources_of(&sources, "<string>") == NULL);
    CHECK(sources_of(&sources, "<string>") == NULL);
    sources_put(&sources, "<string>", "a = 1\nb = 2");
    CHECK(sources_of(&sources, "<string>")->n_lines == 2);
    sources_fini(&sources);
}

int main(void)
{
    RUN(bytes_become_clean_text);
    RUN(utf8_is_strict);
    RUN(what_is_no_file_is_refused);
    RUN(a_text_is_found_in_a_file);
    RUN(a_file_is_read_once);
    return 0;
}
