/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the growing array, and of the error that rides along. */
#include "base/vec.h"

#include "base/err.h"

#include "../check.h"

static void vec_grows_and_keeps_its_items(void)
{
    vec_of(int) numbers = {0};
    for (int i = 0; i < 10000; i++)
        *vec_push(&numbers) = i;
    CHECK(numbers.n == 10000 && numbers.room >= numbers.n);
    for (int i = 0; i < 10000; i++)
        CHECK(numbers.items[i] == i);
    vec_fini(&numbers);
    CHECK(numbers.items == NULL && numbers.n == 0 && numbers.room == 0);
}

static void vec_pushes_zeroed_items(void)
{
    vec_of(struct { char text[40]; }) texts = {0};
    for (int i = 0; i < 100; i++) {
        char *text = vec_push(&texts)->text;
        for (size_t k = 0; k < 40; k++)
            CHECK(text[k] == 0);
        memset(text, 'x', 40);
        /* What was taken back and pushed again is zeroed too. */
        if (i % 3 == 0)
            texts.n--;
    }
    vec_fini(&texts);
}

static void err_set_writes_one_sentence_and_fails(void)
{
    struct err e = {""};
    CHECK(!err_set(&e, "%s is a directory.", "out"));
    CHECK_STR(e.text, "out is a directory.");
    CHECK(!err_set(&e, "%01000d", 1));
    CHECK(strlen(e.text) == sizeof e.text - 1);
}

int main(void)
{
    RUN(vec_grows_and_keeps_its_items);
    RUN(vec_pushes_zeroed_items);
    RUN(err_set_writes_one_sentence_and_fails);
    return 0;
}
