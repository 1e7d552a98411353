/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the arena: what it gives is zeroed, aligned, apart, and stays where it is. */
#include "base/arena.h"

#include "../check.h"

#include <stdint.h>

static int is_all(const unsigned char *bytes, size_t n, unsigned char value)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != value)
            return 0;
    return 1;
}

/* Sizes around every border of the arena: nothing, one line, a quarter block, a block and beyond.
 */
static const size_t sizes[] = {0, 1, 15, 16, 17, 255, 16383, 16384, 16385, 65536, 1000000};
#define N_SIZES (sizeof sizes / sizeof sizes[0])

static void arena_gives_zeroed_aligned_memory(void)
{
    struct arena arena = {0};
    for (size_t i = 0; i < N_SIZES * 20; i++) {
        unsigned char *bytes = arena_alloc(&arena, sizes[i % N_SIZES]);
        CHECK((uintptr_t)bytes % 16 == 0);
        CHECK(is_all(bytes, sizes[i % N_SIZES], 0));
        memset(bytes, 0xff, sizes[i % N_SIZES]);
    }
    arena_fini(&arena);
    CHECK(arena.blocks == NULL);
}

static void arena_pieces_do_not_overlap(void)
{
    enum { N = 300 };
    struct arena arena = {0};
    unsigned char *pieces[N];
    for (size_t i = 0; i < N; i++) {
        pieces[i] = arena_alloc(&arena, sizes[i % N_SIZES]);
        memset(pieces[i], (int)(i % 251), sizes[i % N_SIZES]);
    }
    for (size_t i = 0; i < N; i++)
        CHECK(is_all(pieces[i], sizes[i % N_SIZES], (unsigned char)(i % 251)));
    arena_fini(&arena);
}

static void arena_strings_are_copied_and_ended(void)
{
    struct arena arena = {0};
    char text[] = "abcdef";
    const char *copy = arena_strndup(&arena, text, 3);
    text[0] = 'x';
    CHECK_STR(copy, "abc");
    CHECK_STR(arena_strndup(&arena, "", 0), "");
    arena_fini(&arena);
}

static void arena_printf_holds_any_length(void)
{
    struct arena arena = {0};
    CHECK_STR(arena_printf(&arena, "%s:%d", "file.py", 12), "file.py:12");
    CHECK(strlen(arena_printf(&arena, "%070000d", 7)) == 70000);
    arena_fini(&arena);
}

int main(void)
{
    RUN(arena_gives_zeroed_aligned_memory);
    RUN(arena_pieces_do_not_overlap);
    RUN(arena_strings_are_copied_and_ended);
    RUN(arena_printf_holds_any_length);
    return 0;
}
