/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the maps: every key is found again, whatever its bytes, however many there are. */
#include "base/map.h"

#include "../check.h"

static void map_finds_what_was_put(void)
{
    enum { N = 20000 };
    struct map map = {0};
    for (size_t i = 0; i < N; i++) {
        bool is_new = false;
        *map_at(&map, &i, sizeof i, &is_new) = i * 3;
        CHECK(is_new);
    }
    CHECK(map.n == N);
    for (size_t i = 0; i < N; i++) {
        bool is_new = true;
        CHECK(*map_at(&map, &i, sizeof i, &is_new) == i * 3);
        CHECK(!is_new);
        CHECK(map_find(&map, &i, sizeof i) && *map_find(&map, &i, sizeof i) == i * 3);
    }
    size_t absent = N;
    CHECK(map_find(&map, &absent, sizeof absent) == NULL);
    CHECK(map.n == N);
    map_fini(&map);
}

static void map_begins_empty_and_ends_empty(void)
{
    struct map map = {0};
    CHECK(map_find(&map, "a", 1) == NULL);
    *map_at(&map, "a", 1, NULL) = 5;
    map_fini(&map);
    CHECK(map.n == 0 && map_find(&map, "a", 1) == NULL);
}

static void map_new_values_are_zero(void)
{
    struct map map = {0};
    for (unsigned char i = 0; i < 200; i++)
        CHECK(*map_at(&map, &i, 1, NULL) == 0);
    map_fini(&map);
}

static void map_tells_keys_by_every_byte_and_by_length(void)
{
    static const char zeros[8] = {0};
    struct map map = {0};
    for (size_t n = 0; n <= sizeof zeros; n++)
        *map_at(&map, zeros, n, NULL) = n + 1;
    CHECK(map.n == sizeof zeros + 1);
    for (size_t n = 0; n <= sizeof zeros; n++)
        CHECK(*map_find(&map, zeros, n) == n + 1);
    map_fini(&map);
}

static void map_keeps_its_own_copy_of_keys(void)
{
    struct map map = {0};
    char key[] = "first";
    *map_at(&map, key, 5, NULL) = 1;
    memcpy(key, "other", 5);
    CHECK(map_find(&map, "first", 5) && !map_find(&map, "other", 5));
    map_fini(&map);
}

static void strtab_keeps_equal_texts_once(void)
{
    struct strtab table = {{0}};
    char again[] = "name";
    const char *name = strtab_add(&table, "name", 4);
    CHECK_STR(name, "name");
    CHECK(strtab_add(&table, again, 4) == name);
    CHECK(strtab_add(&table, "names", 4) == name);
    CHECK(strtab_add(&table, "names", 5) != name);
    CHECK_STR(strtab_add(&table, "", 0), "");
    for (int i = 0; i < 5000; i++) {
        char text[16];
        int n = snprintf(text, sizeof text, "n%d", i);
        CHECK_STR(strtab_add(&table, text, (size_t)n), text);
    }
    CHECK(strtab_add(&table, "name", 4) == name);
    strtab_fini(&table);
}

int main(void)
{
    RUN(map_finds_what_was_put);
    RUN(map_begins_empty_and_ends_empty);
    RUN(map_new_values_are_zero);
    RUN(map_tells_keys_by_every_byte_and_by_length);
    RUN(map_keeps_its_own_copy_of_keys);
    RUN(strtab_keeps_equal_texts_once);
    return 0;
}
